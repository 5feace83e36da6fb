/**
 * A bank that saves a card by a real payment, in a whole service: the card is usable as soon as the bank says so, and the money goes
 * back once, whatever is lost, killed or refused on the way. What nobody can decide becomes a case for a person.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolveOperation } from '../../../payments/decisions/operation.ts'
import { measureOpenWork } from '../../../storage/open-work.ts'
import { SWEEPS } from '../../../worker/sweeps.ts'
import { revokeToken } from '../../payments/subscriptions.ts'
import { type BindingScene, leftAt, MINUTE_MS, setBindingScene } from './binding-scene.ts'
import type { BindingOrder } from './binding-server.ts'

const DAY_MS = 24 * 60 * MINUTE_MS
let scene: BindingScene
beforeAll(async () => {
  scene = await setBindingScene()
})
afterAll(() => scene.close())
const expectReturned = async (id: string, type: 'refund' | 'void') =>
  expect(await scene.returnsOf(id)).toMatchObject([
    { type, status: 'succeeded', amountMinor: 100, currency: 'USD', paymentId: null },
  ])
/** Nobody can charge the card, so it does not stay at the bank. */
async function expectRemoved(id: string, order: BindingOrder) {
  await scene.later(DAY_MS, 2)
  expect(order.binding).toBeNull()
  expect(await scene.removalsOf(id)).toMatchObject([{ status: 'succeeded' }])
}

describe('a card that is saved by a real payment', () => {
  test.each([
    ['held', 'void'],
    ['taken', 'refund'],
  ] as const)('is active at once, and what was %s goes back once', async (state, type) => {
    const { id, number, bank, order, writes } = await scene.open()
    expect(order.amount).toBe(100)
    bank.pay(number, state)
    await scene.back(id)
    expect([await scene.statusOf(id), leftAt(order)]).toEqual(['active', 100])
    await scene.later(0, 3)
    await scene.later(DAY_MS, 3)
    expect([await scene.statusOf(id), leftAt(order), writes()]).toEqual(['active', 0, 1])
    await expectReturned(id, type)
  })

  test('whose saving is asked about by many at once gets one return', async () => {
    const { id, number, bank, order, writes } = await scene.open()
    bank.pay(number, 'taken')
    await Promise.all([
      scene.back(id),
      scene.back(id),
      scene.later(MINUTE_MS),
      scene.later(0),
      scene.back(id),
    ])
    await Promise.all([scene.later(0), scene.later(0), scene.later(0)])
    await scene.later(MINUTE_MS, 2)
    expect([leftAt(order), writes()]).toEqual([0, 1])
    await expectReturned(id, 'refund')
  })

  test('but that the bank has not kept yet keeps its money until it is decided', async () => {
    const { id, number, bank, order } = await scene.open()
    bank.pay(number, 'held', false)
    await scene.later(MINUTE_MS, 3)
    expect([await scene.statusOf(id), leftAt(order), await scene.returnsOf(id)]).toEqual(['pending', 100, []])
    order.binding = 'late'
    await scene.later(15 * MINUTE_MS, 2)
    expect([await scene.statusOf(id), leftAt(order)]).toEqual(['active', 0])
  })
})

test('a card that these settings let the bank save without money is active, and nothing goes back', async () => {
  const { routes } = scene.kassa.ctx
  const { route_c } = routes
  routes.route_c = { ...route_c, settings: { ...route_c.settings, SAVING_AMOUNT: 0 } }
  const { id, number, bank, order, writes } = await scene.open('quiet')
  routes.route_c = route_c
  bank.pay(number, 'held')
  await scene.back(id)
  await scene.later(DAY_MS, 3)
  expect([await scene.statusOf(id), order.amount, writes()]).toEqual(['active', 0, 0])
  expect([(await scene.methodOf(id))?.saving, await scene.returnsOf(id)]).toEqual([null, []])
})

describe('money of a saving that has ended', () => {
  test.each([30, 3 * 24 * 60, 20 * 24 * 60])(
    'goes back too if it arrives %d minutes after the end of the page',
    async (minutes) => {
      const { id, number, bank, order } = await scene.open()
      await scene.later(100 * MINUTE_MS)
      expect(await scene.statusOf(id)).toBe('failed')
      await scene.later(minutes * MINUTE_MS)
      const { body } = await revokeToken(scene.kassa.url, scene.shop, id)
      expect(body.operation.statusReason).toContain('is removed by itself')
      bank.pay(number, 'taken')
      await scene.later(DAY_MS, 2)
      expect([await scene.statusOf(id), leftAt(order)]).toEqual(['failed', 0])
      await expectReturned(id, 'refund')
      await expectRemoved(id, order)
    },
  )

  test('goes back if the merchant has revoked the saving meanwhile', async () => {
    const { id, number, bank, order } = await scene.open()
    await revokeToken(scene.kassa.url, scene.shop, id)
    bank.pay(number, 'held')
    await scene.later(2 * 60 * MINUTE_MS, 2)
    expect([await scene.statusOf(id), leftAt(order)]).toEqual(['revoked', 0])
    await expectReturned(id, 'void')
    await expectRemoved(id, order)
  })

  test('is waited for 90 days where the bank calls nobody, and a person looks if it never tells', async () => {
    const declined = await scene.open()
    declined.order.state = 'declined'
    const late = await scene.open()
    const silent = await scene.open('quiet')
    await scene.later(2 * 60 * MINUTE_MS, 3)
    silent.bank.away(true)
    await scene.later(85 * DAY_MS)
    late.bank.pay(late.number, 'taken')
    await scene.later(DAY_MS, 2)
    expect([await scene.statusOf(late.id), leftAt(late.order), late.writes()]).toEqual(['failed', 0, 1])
    expect((await scene.methodOf(declined.id))?.dueAt).not.toBeNull()
    await scene.later(3 * DAY_MS, 2)
    await scene.later(DAY_MS, 2)
    silent.bank.away(false)
    expect([(await scene.methodOf(declined.id))?.dueAt, await scene.returnsOf(declined.id)]).toEqual([
      null,
      [],
    ])
    expect(await scene.returnsOf(silent.id)).toMatchObject([{ status: 'requires_operator_review' }])
  })
})

describe('a return whose way is disturbed', () => {
  test.each([
    { name: 'bare', acts: true, left: 0, writes: 1, status: 'succeeded' },
    { name: 'bare', acts: false, left: 100, writes: 0, status: 'requires_operator_review' },
    { name: 'keyed', acts: true, left: 0, writes: 1, status: 'succeeded' },
    { name: 'keyed', acts: false, left: 0, writes: 1, status: 'succeeded' },
  ] as const)(
    '$name: an answer is lost, and the bank had acted: $acts',
    async ({ name, acts, left, writes, status }) => {
      const saving = await scene.open(name)
      saving.bank.pay(saving.number, 'taken')
      await scene.back(saving.id)
      saving.bank.lose('refund', acts)
      await scene.later(0)
      await scene.later(5 * MINUTE_MS, 4)
      await scene.later(DAY_MS)
      expect([await scene.statusOf(saving.id), leftAt(saving.order), saving.writes()]).toEqual([
        'active',
        left,
        writes,
      ])
      expect(await scene.returnsOf(saving.id)).toMatchObject([{ status }])
    },
  )

  test('is not forgotten while the bank is away', async () => {
    const { id, number, bank, order, writes } = await scene.open()
    bank.pay(number, 'held')
    await scene.back(id)
    bank.away(true)
    await scene.later(MINUTE_MS, 2)
    bank.away(false)
    await scene.later(15 * MINUTE_MS, 2)
    expect([leftAt(order), writes()]).toEqual([0, 1])
    await expectReturned(id, 'void')
  })

  test('and that the bank refuses is a case for a person, who is held to what the bank says', async () => {
    const { id, number, bank, order, writes } = await scene.open()
    bank.pay(number, 'taken')
    bank.refusing.add('refund')
    await scene.back(id)
    await scene.later(0)
    await scene.later(DAY_MS, 3)
    const [refused] = await scene.returnsOf(id)
    expect(refused).toMatchObject({
      status: 'requires_operator_review',
      statusReason: 'the provider refused: the bank says 7',
    })
    expect([await scene.statusOf(id), writes()]).toEqual(['active', 1])

    const decision = { actor: 'anna', why: 'given back by hand' }
    const decide = (as: 'succeeded' | 'failed') =>
      resolveOperation(scene.kassa.ctx, refused?.id ?? '', as, decision)
    await expect(decide('succeeded')).rejects.toThrow('still has 100 minor units')
    order.returned = 100
    await expect(decide('failed')).rejects.toThrow('resolve the refund as succeeded')
    expect((await decide('succeeded')).status).toBe('succeeded')
  })
})

test('savings that have ended share the budget of questions about payments, and no buyer waits for them', async () => {
  // One question in ten seconds. What was not used in the last minute may be used at once.
  const slow = await setBindingScene({ SETTLED_QUESTIONS_PER_HOUR: '360' })
  const { ctx, clock } = slow.kassa
  const requests = async () => {
    const { rows } = await ctx.db.query<{ count: string }>(
      "select sum(attempts) as count from sandbox.saved_methods where status = 'failed'",
    )
    return Number(rows[0]?.count)
  }
  for (let each = 0; each < 20; each++) await slow.open()
  clock.advance(2 * 60 * MINUTE_MS)
  await SWEEPS.cardSavings(ctx)
  const before = await requests()
  clock.advance(2 * DAY_MS)
  const open = await slow.open()
  clock.advance(11_000)
  await Promise.all([SWEEPS.endedSavings(ctx), SWEEPS.endedSavings(ctx), SWEEPS.settledSync(ctx)])
  expect((await requests()) - before).toBe(7)
  open.bank.pay(open.number, 'taken')
  await SWEEPS.cardSavings(ctx)
  expect(await slow.statusOf(open.id)).toBe('active')
  expect((await measureOpenWork(ctx.db, clock.now())).overdueSettledQuestions).toBe(13)
  clock.advance(30_000)
  await SWEEPS.endedSavings(ctx)
  expect((await requests()) - before).toBe(10)
  await slow.close()
})
