/** Renewals that fail, or cannot be sent: only the running period is charged, and a charge that never left is no attempt. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getSubscriptionHistory } from '../../operator/subscription-history.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import { createSubscription, openToken, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { type ChargingBank, openChargingBank } from '../../testing/providers/charging-bank.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const kassa = await openKassa()

const HOUR_MS = 3_600_000
const plain = kassa.ctx.routes.route_a
let shop: Shop
let bank: ChargingBank
beforeEach(async () => {
  bank = openChargingBank(kassa.ctx)
  shop = await openShop(kassa.ctx)
})
afterEach(async () => {
  kassa.ctx.routes.route_a = plain
  await kassa.ctx.db.query('update sandbox.subscriptions set due_at = null')
})
const charges = (subscriptionId: string) =>
  listSubscriptionCharges(kassa.ctx.db, { merchantId: shop.merchantId, subscriptionId })
const find = (id: string) => findSubscription(kassa.ctx.db, shop.merchantId, id)

/** Failed renewals that are tried again after their period has ended: only the running period is charged. */
describe('tries after the period has ended', () => {
  const DAY_MS = 24 * HOUR_MS

  let orders = 0
  async function subscribe(interval: 'day' | 'week'): Promise<string> {
    const body = subscriptionRequest(await openToken(kassa.url, shop), {
      merchantSubscriptionId: `dunned-${++orders}`,
      interval,
    })
    const id = (await createSubscription(kassa.url, shop, { body })).body.subscription.id
    await SWEEPS.renewals(kassa.ctx)
    return id
  }

  /** Lets so many days pass, four hours at once. Returns the periods that were charged at each moment. */
  async function passDays(id: string, days: number): Promise<{ charged: string[] }[]> {
    const seen: { charged: string[] }[] = []
    let before = (await charges(id)).length
    for (let hour = 4; hour <= days * 24; hour += 4) {
      kassa.clock.advance(4 * HOUR_MS)
      await SWEEPS.renewals(kassa.ctx)
      await SWEEPS.renewals(kassa.ctx)
      const now = await charges(id)
      const fresh = now.slice(before).map(({ period, state }) => `${period} ${state}`)
      if (fresh.length > 0) seen.push({ charged: fresh })
      before = now.length
    }
    return seen
  }

  test('a weekly subscription whose second week is declined three times is charged once when the money comes, for the week that runs', async () => {
    const id = await subscribe('week')
    bank.bends.push('decline', 'decline', 'decline')
    const seen = await passDays(id, 7 + 15)
    // Declined on day 7, on day 9 and, in the third week, on day 14. Paid on day 21, when the fourth week begins.
    expect(seen.map(({ charged }) => charged)).toEqual([['2 failed'], ['2 failed'], ['3 failed'], ['4 paid']])
    expect(bank.taken.map(({ period }) => period)).toEqual([1, 4])
    expect(await find(id)).toMatchObject({ status: 'active', period: 4 })
    const next = await passDays(id, 7)
    expect(next.map(({ charged }) => charged)).toEqual([['5 paid']])
  })

  test('a daily subscription is never charged twice on a day, and its retries are counted over all days', async () => {
    const id = await subscribe('day')
    bank.bends.push(...Array.from({ length: 9 }, () => 'decline' as const))
    const seen = await passDays(id, 25)
    // Retries after 2, 5, 7 and 7 days.
    expect(seen.map(({ charged }) => charged)).toEqual([
      ['2 failed'],
      ['4 failed'],
      ['9 failed'],
      ['16 failed'],
      ['23 failed'],
    ])
    expect(await find(id)).toMatchObject({ status: 'cancelled', cancelReason: 'retries_exhausted' })
    expect(bank.taken.map(({ period }) => period)).toEqual([1])
  })

  test('a charge that was stored and not sent is dropped when its period has ended, for one of the running period', async () => {
    const id = await subscribe('day')
    kassa.clock.advance(DAY_MS + HOUR_MS)
    const { db } = kassa.ctx
    let stored = 1
    for (let statements = 4; statements < 60 && stored === 1; statements++) {
      await db.query('update sandbox.subscriptions set due_at = anchor_at where due_at is not null')
      await SWEEPS.renewals({ ...kassa.ctx, db: mortalDb(db, statements) }).catch(() => {})
      stored = (await charges(id)).length
    }
    expect((await charges(id)).map(({ period, state }) => `${period} ${state}`)).toEqual(['1 paid', '2 open'])
    kassa.clock.advance(3 * DAY_MS)
    await SWEEPS.renewals(kassa.ctx)
    await SWEEPS.renewals(kassa.ctx)
    expect(bank.taken.map(({ period }) => period)).toEqual([1, 5])
    expect((await charges(id)).map(({ period, state }) => `${period} ${state}`)).toEqual([
      '1 paid',
      '2 failed',
      '5 paid',
    ])
  })

  test('the operator sees why the renewals of a subscription wait, as long as they are switched off', async () => {
    const id = await subscribe('week')
    const blocked = async () => (await getSubscriptionHistory(kassa.ctx, id)).waitsFor
    expect(await blocked()).toBeNull()
    const { route_a: route } = kassa.ctx.routes
    kassa.ctx.routes.route_a = { ...route, settings: { ...route.settings, RENEWALS: 'disabled' } }
    kassa.clock.advance(8 * DAY_MS)
    await SWEEPS.renewals(kassa.ctx)
    expect(await blocked()).toContain('nothing is set up for failed renewals')
    expect(bank.taken).toHaveLength(1)
    kassa.ctx.routes.route_a = route
    kassa.clock.advance(2 * 60_000)
    await SWEEPS.renewals(kassa.ctx)
    expect([await blocked(), bank.taken.length]).toEqual([null, 2])
  })
})

/** Renewals that cannot be sent, at a provider without keys: a charge that never left is no attempt. */
describe('renewals that cannot be sent', () => {
  async function subscribe(interval: 'day' | 'month'): Promise<string> {
    const body = subscriptionRequest(await openToken(kassa.url, shop), { interval })
    return (await createSubscription(kassa.url, shop, { body })).body.subscription.id
  }
  const statesOf = async (id: string) => (await charges(id)).map(({ period, state }) => `${period} ${state}`)

  async function passHours(hours: number): Promise<void> {
    for (let hour = 0; hour < hours; hour += 3) {
      kassa.clock.advance(3 * HOUR_MS)
      for (const sweep of ['renewals', 'statusSync'] as const) await SWEEPS[sweep](kassa.ctx)
    }
  }

  test('a charge waits for a bank that is away for four days, with one warning and without an attempt, and is paid when the bank is back', async () => {
    const id = await subscribe('month')
    bank.isUnreachable = true
    await SWEEPS.renewals(kassa.ctx)
    await passHours(4 * 24)
    const [charge] = await charges(id)
    const paymentId = charge?.paymentId ?? ''
    const payment = await findPayment(kassa.ctx.db, shop.merchantId, paymentId)
    expect([await statesOf(id), charge?.sentAt, payment?.status]).toEqual([
      ['1 open'],
      null,
      'pending_payment',
    ])
    const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, paymentId)
    expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining('for three days')])
    bank.isUnreachable = false
    await passHours(12)
    expect([await statesOf(id), bank.taken.length, (await find(id))?.status]).toEqual([
      ['1 paid'],
      1,
      'active',
    ])
  })

  test.each([
    ['refuses the account, and repeats this for the same request', 'restrict', 3],
    ['does not take requests for the moment', 'busy', 0],
  ] as const)(
    'a charge at a bank that %s is no attempt, and is paid once afterwards',
    async (_, bend, refused) => {
      const id = await subscribe('month')
      bank.bends = [bend, bend, bend]
      await SWEEPS.renewals(kassa.ctx)
      expect(await charges(id)).toMatchObject([{ state: 'open', sentAt: null }])
      await passHours(24)
      expect([await statesOf(id), bank.taken.length, (await find(id))?.status]).toEqual([
        ['1 paid'],
        1,
        'active',
      ])
      expect((await charges(id))[0]?.refusedTimes).toBe(refused)
    },
  )

  test('the bank is asked for a charge that waited for days as for one that began when it was sent', async () => {
    const id = await subscribe('month')
    bank.isUnreachable = true
    await SWEEPS.renewals(kassa.ctx)
    await passHours(4 * 24)
    bank.isUnreachable = false
    bank.bends = ['lose']
    bank.away = true
    await passHours(12)
    const [charge] = await charges(id)
    const sentAt = charge?.sentAt?.getTime()
    expect([await statesOf(id), bank.taken.length]).toEqual([['1 open'], 1])
    // A driver looks for the order only between these times.
    expect(bank.opened?.after.getTime()).toBe(sentAt)
    expect(bank.opened?.before.getTime()).toBeGreaterThan(sentAt ?? Number.POSITIVE_INFINITY)
  })

  test('a charge that could not be sent in its whole period is dropped, and only the running period is charged', async () => {
    const id = await subscribe('day')
    await SWEEPS.renewals(kassa.ctx)
    bank.isUnreachable = true
    await passHours(3 * 24)
    expect((await find(id))?.status).toBe('active')
    bank.isUnreachable = false
    await passHours(12)
    const paid = (await charges(id)).filter(({ state }) => state === 'paid')
    expect([bank.taken.length, paid.length, paid.at(-1)?.period]).toEqual([2, 2, 4])
    expect((await find(id))?.status).toBe('active')
  })

  test('nobody can open an order of a renewal whose answer was lost: the buyer did not ask for it, and it may have been charged', async () => {
    const id = await subscribe('month')
    bank.bends = ['drop']
    await SWEEPS.renewals(kassa.ctx)
    const [charge] = await charges(id)
    const paymentId = charge?.paymentId ?? ''
    const answer = await fetch(`${kassa.url}/checkout/${paymentId}/continue`, {
      method: 'POST',
      redirect: 'manual',
    })
    await answer.text()
    expect(answer.headers.get('location')).not.toContain('/orders/')
    expect(await findPayment(kassa.ctx.db, shop.merchantId, paymentId)).toMatchObject({
      attempt: { state: 'opening', checkoutUrl: null },
    })
  })
})
