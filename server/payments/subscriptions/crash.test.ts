/** A worker is killed at every step of charging; the bank, on a port of its own, counts what it was told. */
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CountingBank, countingBankDriver, startCountingBank } from '../../testing/counting-bank.ts'
import { spawnCrashingKassa } from '../../testing/crashing-kassa.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { createSubscription, openToken, subscriptionRequest, sweep } from '../../testing/subscriptions.ts'

const POINTS = [
  'after claim_due_subscriptions',
  'after insert_payment',
  'after insert_subscription_charge',
  'before tell_subscription_charge',
  'after update_payment_status',
  'before charge',
  'while charge',
  'after charge',
  'after look-up',
  'before settle_subscription_charge',
  'after update_subscription',
]
const BEGUN_EACH = 6
const LIFE_MS = 8_000
const MINUTE_MS = 60_000

let kassa: Kassa
let shop: Shop
let bank: CountingBank
let tokenId: string
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  tokenId = await openToken(kassa.url, shop)
  bank = await startCountingBank()
})
afterAll(async () => {
  await kassa.close()
  await bank.close()
})

/** One process from start to death. Answers the point at which it killed itself. */
async function liveOnce(point: string): Promise<string | null> {
  const crash = { at: point, nth: randomInt(1, 4) }
  const { databaseUrl } = kassa
  // Whatever the dead before it had in hand is due again, as at the end of their lease.
  await kassa.ctx.db.query(
    'update sandbox.subscriptions set due_at = created_at where due_at is not null and next_charge_at is null',
  )
  const life = await spawnCrashingKassa({ databaseUrl, bankUrl: bank.url, sweep: 'renewals', crash })
  const tooLong = setTimeout(() => life.child.kill('SIGKILL'), LIFE_MS)
  await life.ended
  clearTimeout(tooLong)
  return life.reached()
}

test('a kill at any step of charging charges no period twice, and loses none', async () => {
  const reached: (string | null)[] = []
  for (const [round, point] of POINTS.entries()) {
    for (let index = 0; index < BEGUN_EACH; index++) {
      const terms = { merchantSubscriptionId: `box-${round}-${index}` }
      const { status } = await createSubscription(kassa.url, shop, {
        body: subscriptionRequest(tokenId, terms),
      })
      expect(status).toBe(201)
    }
    reached.push(await liveOnce(point))
  }
  expect(reached).toEqual(POINTS)
  // A healthy worker at last: the leases end, what never reached the bank is given up after an hour, and tried again in two days.
  const { route_a: route } = kassa.ctx.routes
  const { chargeToken, lookUp } = countingBankDriver(bank.url, () => {})
  kassa.ctx.routes.route_a = {
    ...route,
    driver: { ...route.driver, chargeToken, lookUp } as typeof route.driver,
  }
  for (const minutes of [2, 2, 62, 2 * 24 * 60, 1]) {
    kassa.clock.advance(minutes * MINUTE_MS)
    await sweep(kassa)
  }
  const { rows } = await kassa.ctx.db.query<{
    id: string
    status: string
    period: number
    references: string[]
  }>(
    `select subscriptions.id, subscriptions.status, subscriptions.period, array_agg(provider_reference) as references
     from sandbox.subscriptions join sandbox.subscription_charges on subscription_id = subscriptions.id
     join sandbox.payments on payments.id = payment_id group by 1, 2, 3`,
  )
  expect(rows).toHaveLength(POINTS.length * BEGUN_EACH)
  const taken = rows.map(({ references, status, period }) => {
    const times = references.reduce((sum, reference) => sum + (bank.orders.get(reference) ?? 0), 0)
    return `${status}, period ${period}: charged ${times}`
  })
  expect(new Set(taken)).toEqual(new Set(['active, period 1: charged 1']))
}, 120_000)
