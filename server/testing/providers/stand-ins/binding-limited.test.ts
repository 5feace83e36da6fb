/**
 * A bank that saves a card by a real payment and rejects requests for the moment: it has done nothing, so the card is active later,
 * and the money goes back once. Nobody reads that an answer was lost.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BindingScene, leftAt, MINUTE_MS, setBindingScene } from './binding-scene.ts'

const HOUR_MS = 60 * MINUTE_MS
let scene: BindingScene
beforeAll(async () => {
  scene = await setBindingScene()
})
afterAll(() => scene.close())

test.each(['bare', 'keyed'] as const)(
  'a return is asked again after many bursts, uses none of the sendings, and is made once (%s)',
  async (name) => {
    const { id, number, bank, order, writes } = await scene.open(name)
    bank.pay(number, 'taken')
    await scene.back(id)
    bank.limit(['refund'])
    await scene.later(0)
    await scene.later(2 * MINUTE_MS, 10)
    expect([bank.limited(), writes()]).toEqual([11, 0])
    expect(await scene.returnsOf(id)).toMatchObject([
      {
        status: 'processing',
        sentAt: null,
        sendCount: 0,
        statusReason: 'the provider did not take it: the bank answered 429',
      },
    ])
    bank.limit([])
    await scene.later(15 * MINUTE_MS)
    expect(await scene.returnsOf(id)).toMatchObject([{ status: 'succeeded', sendCount: 1 }])
    expect([await scene.statusOf(id), leftAt(order), writes()]).toEqual(['active', 0, 1])
  },
)

test('the return waits as long as the bank wants', async () => {
  const { id, number, bank, writes } = await scene.open()
  bank.pay(number, 'taken')
  await scene.back(id)
  bank.limit(['refund'], 10 * 60)
  await scene.later(0)
  await scene.later(4 * MINUTE_MS, 2)
  expect(bank.limited()).toBe(1)
  bank.limit([])
  await scene.later(3 * MINUTE_MS)
  expect([writes(), (await scene.returnsOf(id)).map(({ status }) => status)]).toEqual([1, ['succeeded']])
})

test('goes to a person after a day of it with the bank’s words, however long it had waited before', async () => {
  const { id, number, bank, order, writes } = await scene.open()
  bank.pay(number, 'held')
  await scene.back(id)
  // The return was asked for, and nobody could work on it.
  scene.kassa.clock.advance(30 * HOUR_MS)
  bank.limit(['reverse'])
  await scene.later(0)
  expect(await scene.returnsOf(id)).toMatchObject([{ status: 'processing' }])
  await scene.later(HOUR_MS, 26)
  const [ended] = await scene.returnsOf(id)
  expect(ended).toMatchObject({ status: 'requires_operator_review', sentAt: null })
  expect(ended?.statusReason).toContain('did not take it: the bank answered 429')
  expect([await scene.statusOf(id), leftAt(order), writes()]).toEqual(['active', 100, 0])
  bank.limit([])
})

test('a question that the bank does not take when the buyer comes back ends nothing', async () => {
  const { id, number, bank, order } = await scene.open()
  bank.pay(number, 'taken')
  bank.limit(['status'])
  await scene.back(id)
  expect([await scene.statusOf(id), await scene.returnsOf(id)]).toEqual(['pending', []])
  bank.limit([])
  await scene.later(15 * MINUTE_MS, 2)
  expect([await scene.statusOf(id), leftAt(order)]).toEqual(['active', 0])
})
