/**
 * A worker is killed at every step of charging. The bank runs on a port of its own and counts the charges that it gets. The short
 * and the long test both use this suite.
 */
import { expect } from 'vitest'
import { type Kassa, openShop, startKassa } from '../../testing/harness.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import type { StartCrashing } from '../../testing/processes/crashing-kassa.ts'
import {
  type CountingBank,
  countingBankDriver,
  startCountingBank,
} from '../../testing/providers/counting-bank.ts'
import { type Random, seededRandom } from '../../testing/random.ts'

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
/** Only ends a run that hangs. */
const RUN_MS_MAX = 120_000
const MINUTE_MS = 60_000

type Setup = { kassa: Kassa; bank: CountingBank; random: Random; start: StartCrashing; each: number }

/** Runs one process from its start to its death. Returns the step at which it killed itself. */
async function runProcess(
  { kassa, bank, random, start, each }: Setup,
  point: string,
): Promise<string | null> {
  const { databaseUrl } = kassa
  // Make the subscriptions of earlier, killed processes due again, as if their leases had ended.
  await kassa.ctx.db.query(
    'update sandbox.subscriptions set due_at = created_at where due_at is not null and next_charge_at is null',
  )
  const crash = { at: point, nth: random(1, each) }
  const run = await start({ databaseUrl, bankUrl: bank.url, sweep: 'renewals', crash })
  // Real time: a process may be killed at any moment.
  const timer = setTimeout(run.kill, RUN_MS_MAX)
  await run.ended
  clearTimeout(timer)
  return run.reached()
}

/**
 * Kills a worker at each step, `rounds` times. `each`: how many subscriptions are created before each kill. The worker dies before it
 * has worked on all of them. Returns a summary.
 */
export async function surviveCharging({
  rounds,
  seed,
  start,
  points = POINTS,
  each = 4,
}: {
  rounds: number
  seed: number
  start: StartCrashing
  points?: string[]
  each?: number
}): Promise<string> {
  const kassa = await startKassa()
  const bank = await startCountingBank()
  const setup = { kassa, bank, random: seededRandom(seed), start, each }
  const kills = Array.from({ length: rounds }, () => points).flat()
  try {
    const shop = await openShop(kassa.ctx)
    const tokenId = await openToken(kassa.url, shop)
    const reached: (string | null)[] = []
    for (const [kill, point] of kills.entries()) {
      for (let index = 0; index < each; index++) {
        const terms = { merchantSubscriptionId: `box-${kill}-${index}` }
        const body = subscriptionRequest(tokenId, terms)
        expect((await createSubscription(kassa.url, shop, { body })).status).toBe(201)
      }
      reached.push(await runProcess(setup, point))
    }
    expect(reached).toEqual(kills)
    await settle(setup)
    await expectOneChargeEach(setup, kills.length * each)
    return `${kills.length} kills while charging, with seed ${seed}`
  } finally {
    await kassa.close()
    await bank.close()
  }
}

/**
 * Runs a healthy worker at the end. The leases end, a charge that never reached the bank fails after an hour, and it is charged
 * again two days later.
 */
async function settle({ kassa, bank }: Setup): Promise<void> {
  const { route_a: route } = kassa.ctx.routes
  const { addresses, chargeToken, lookUp } = countingBankDriver(bank.url, () => {})
  kassa.ctx.routes.route_a = {
    ...route,
    driver: { ...route.driver, addresses, chargeToken, lookUp } as typeof route.driver,
  }
  for (const minutes of [2, 2, 62, 2 * 24 * 60, 1]) {
    kassa.clock.advance(minutes * MINUTE_MS)
    await sweep(kassa)
  }
}

async function expectOneChargeEach({ kassa, bank }: Setup, count: number): Promise<void> {
  const { rows } = await kassa.ctx.db.query<{ status: string; period: number; references: string[] }>(
    `select subscriptions.id, subscriptions.status, subscriptions.period, array_agg(reference) as references
     from sandbox.subscriptions join sandbox.subscription_charges on subscription_id = subscriptions.id
     join sandbox.attempts using (payment_id) group by 1, 2, 3`,
  )
  expect(rows).toHaveLength(count)
  const outcomes = rows.map(({ references, status, period }) => {
    const times = references.reduce((sum, reference) => sum + (bank.orders.get(reference) ?? 0), 0)
    return `${status}, period ${period}: charged ${times}`
  })
  expect(new Set(outcomes)).toEqual(new Set(['active, period 1: charged 1']))
}
