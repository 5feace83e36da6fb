/** Failed renewals that are tried again after their period has ended: only the running period is charged. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { getSubscriptionHistory } from '../../operator/subscription-history.ts'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import { createSubscription, openToken, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { type ChargingBank, openChargingBank } from '../../testing/providers/charging-bank.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const kassa = await openKassa()
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
const charges = (subscriptionId: string) =>
  listSubscriptionCharges(kassa.ctx.db, { merchantId: shop.merchantId, subscriptionId })
const find = (id: string) => findSubscription(kassa.ctx.db, shop.merchantId, id)

/** Lets so many days pass, hour by hour. Returns the periods that were charged, with the hour since the start of each. */
async function passDays(id: string, days: number): Promise<{ hour: number; charged: string[] }[]> {
  const seen: { hour: number; charged: string[] }[] = []
  let before = (await charges(id)).length
  for (let hour = 1; hour <= days * 24; hour++) {
    kassa.clock.advance(HOUR_MS)
    await SWEEPS.renewals(kassa.ctx)
    await SWEEPS.renewals(kassa.ctx)
    const now = await charges(id)
    const fresh = now.slice(before).map(({ period, state }) => `${period} ${state}`)
    if (fresh.length > 0) seen.push({ hour, charged: fresh })
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
