/** A worker is killed at every step of charging. The bank runs on a port of its own and counts the charges that it gets. */
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
const SUBSCRIPTIONS_PER_STEP = 6
/** A process that does not reach its step in this time is killed from outside. */
const RUN_MS_MAX = 8_000
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

/** Runs one process from its start to its death. Returns the step at which it killed itself. */
async function runProcess(point: string): Promise<string | null> {
  const crash = { at: point, nth: randomInt(1, 4) }
  const { databaseUrl } = kassa
  // Make the subscriptions of earlier, killed processes due again, as if their leases had ended.
  await kassa.ctx.db.query(
    'update subscriptions set due_at = created_at where due_at is not null and next_charge_at is null',
  )
  const run = await spawnCrashingKassa({ databaseUrl, bankUrl: bank.url, sweep: 'renewals', crash })
  const timer = setTimeout(() => run.child.kill('SIGKILL'), RUN_MS_MAX)
  await run.ended
  clearTimeout(timer)
  return run.reached()
}

test('after a kill at any step of charging, each period is charged exactly once', async () => {
  const reached: (string | null)[] = []
  for (const [round, point] of POINTS.entries()) {
    for (let index = 0; index < SUBSCRIPTIONS_PER_STEP; index++) {
      const terms = { merchantSubscriptionId: `box-${round}-${index}` }
      const { status } = await createSubscription(kassa.url, shop, {
        body: subscriptionRequest(tokenId, terms),
      })
      expect(status).toBe(201)
    }
    reached.push(await runProcess(point))
  }
  expect(reached).toEqual(POINTS)
  // A healthy worker continues. The leases end, a charge that never reached the bank fails after an hour, and it is charged again
  // two days later.
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
     from subscriptions join subscription_charges on subscription_id = subscriptions.id
     join payments on payments.id = payment_id group by 1, 2, 3`,
  )
  expect(rows).toHaveLength(POINTS.length * SUBSCRIPTIONS_PER_STEP)
  const outcomes = rows.map(({ references, status, period }) => {
    const times = references.reduce((sum, reference) => sum + (bank.orders.get(reference) ?? 0), 0)
    return `${status}, period ${period}: charged ${times}`
  })
  expect(new Set(outcomes)).toEqual(new Set(['active, period 1: charged 1']))
}, 120_000)
