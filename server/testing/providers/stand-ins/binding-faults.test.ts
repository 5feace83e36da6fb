/**
 * A bank that saves a card by a real payment. A process dies while it gives the money back: another one goes on, and the money goes back
 * once. The bank rejects requests for the moment: it has done nothing, so the card is active later. Nobody reads that an answer was lost.
 */
import { describe, expect, test } from 'vitest'
import { startCrashingKassa } from '../../processes/crashing-kassa.ts'
import { closeAfter } from '../../scene.ts'
import { leftAt, MINUTE_MS, setBindingScene } from './binding-scene.ts'

const HOUR_MS = 60 * MINUTE_MS
const scene = closeAfter(await setBindingScene())

describe('a process that dies', () => {
  for (const row of [
    { at: 'before insert_operation', name: 'bare', isSent: false, left: 0, writes: 1, isLong: true },
    { at: 'after insert_operation', name: 'bare', isSent: false, left: 0, writes: 1 },
    { at: 'before mark_operation_sent', name: 'bare', isSent: false, left: 0, writes: 1, isLong: true },
    // Nobody knows whether the request had left, and this bank would do it twice.
    { at: 'after mark_operation_sent', name: 'bare', isSent: false, left: 100, writes: 0 },
    { at: 'after mark_operation_sent', name: 'keyed', isSent: false, left: 0, writes: 1 },
    // The money has gone back, and nothing of that is stored.
    { at: 'before note_saving_money', nth: 3, name: 'bare', isSent: true, left: 0, writes: 1 },
    { at: 'before note_saving_money', nth: 3, name: 'keyed', isSent: true, left: 0, writes: 1, isLong: true },
    { at: 'before update_operation', nth: 3, name: 'bare', isSent: true, left: 0, writes: 1, isLong: true },
  ] as const) {
    const { at, name, left, writes } = row
    const tags = 'isLong' in row ? ['long'] : []
    test(`${at} (${name}) is followed by another one: ${left} left, ${writes} sent`, { tags }, async () => {
      const saving = await scene.open(name)
      saving.bank.pay(saving.number, 'taken')
      const crash = { at, nth: 'nth' in row ? row.nth : 1 }
      const dying = await startCrashingKassa({
        databaseUrl: scene.kassa.databaseUrl,
        bankUrl: '',
        settings: scene.settings,
        crash,
        sweep: 'moneyOperations',
      })
      await scene.back(saving.id, dying.url).catch(() => {})
      await dying.ended
      expect([dying.reached(), saving.writes()]).toEqual([at, row.isSent ? 1 : 0])
      // PostgreSQL may notice the death a moment later.
      await scene.kassa.ctx.db.query('select from sandbox.saved_methods where id = $1 for update', [
        saving.id,
      ])
      await scene.later(5 * MINUTE_MS, 4)
      expect([await scene.statusOf(saving.id), leftAt(saving.order), saving.writes()]).toEqual([
        'active',
        left,
        writes,
      ])
      const status = left === 0 ? 'succeeded' : 'requires_operator_review'
      expect(await scene.returnsOf(saving.id)).toMatchObject([{ status }])
    })
  }
})

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
  await scene.later(2 * HOUR_MS, 13)
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
