/**
 * A worker is killed at every step of charging. The bank, on a port of its own, counts what it was told. The one test in two
 * sizes.
 */
import { expect } from 'vitest'
import { type CountingBank, countingBankDriver, startCountingBank } from '../../testing/counting-bank.ts'
import { spawnCrashingKassa } from '../../testing/crashing-kassa.ts'
import { type Kassa, openShop, startKassa } from '../../testing/harness.ts'
import { type Random, seededRandom } from '../../testing/random.ts'
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
/** More than a worker takes up before it dies. */
const BEGUN_EACH = 4
const LIFE_MS = 8_000
const MINUTE_MS = 60_000

type World = { kassa: Kassa; bank: CountingBank; random: Random }

/** One process from start to death. Returns the point at which it killed itself. */
async function liveOnce({ kassa, bank, random }: World, point: string): Promise<string | null> {
  const { databaseUrl } = kassa
  // Whatever the dead before it had in hand is due again, as at the end of their lease.
  await kassa.ctx.db.query(
    'update sandbox.subscriptions set due_at = created_at where due_at is not null and next_charge_at is null',
  )
  const crash = { at: point, nth: random(1, 4) }
  const life = await spawnCrashingKassa({ databaseUrl, bankUrl: bank.url, sweep: 'renewals', crash })
  const tooLong = setTimeout(() => life.child.kill('SIGKILL'), LIFE_MS)
  await life.ended
  clearTimeout(tooLong)
  return life.reached()
}

/** Kills a worker at each point, `rounds` times, each time with another of its subscriptions in hand. */
export async function surviveCharging({ rounds, seed }: { rounds: number; seed: number }): Promise<string> {
  const kassa = await startKassa()
  const bank = await startCountingBank()
  const world = { kassa, bank, random: seededRandom(seed) }
  const lives = Array.from({ length: rounds }, () => POINTS).flat()
  try {
    const shop = await openShop(kassa.ctx)
    const tokenId = await openToken(kassa.url, shop)
    const reached: (string | null)[] = []
    for (const [life, point] of lives.entries()) {
      for (let index = 0; index < BEGUN_EACH; index++) {
        const terms = { merchantSubscriptionId: `box-${life}-${index}` }
        const body = subscriptionRequest(tokenId, terms)
        expect((await createSubscription(kassa.url, shop, { body })).status).toBe(201)
      }
      reached.push(await liveOnce(world, point))
    }
    expect(reached).toEqual(lives)
    await settle(world)
    await expectOneChargeEach(world, lives.length * BEGUN_EACH)
    return `${lives.length} kills while charging, with seed ${seed}`
  } finally {
    await kassa.close()
    await bank.close()
  }
}

/**
 * A healthy worker at last: the leases end, what never reached the bank is given up after an hour, and tried again in two
 * days.
 */
async function settle({ kassa, bank }: World): Promise<void> {
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
}

async function expectOneChargeEach({ kassa, bank }: World, count: number): Promise<void> {
  const { rows } = await kassa.ctx.db.query<{ status: string; period: number; references: string[] }>(
    `select subscriptions.id, subscriptions.status, subscriptions.period, array_agg(provider_reference) as references
     from sandbox.subscriptions join sandbox.subscription_charges on subscription_id = subscriptions.id
     join sandbox.payments on payments.id = payment_id group by 1, 2, 3`,
  )
  expect(rows).toHaveLength(count)
  const taken = rows.map(({ references, status, period }) => {
    const times = references.reduce((sum, reference) => sum + (bank.orders.get(reference) ?? 0), 0)
    return `${status}, period ${period}: charged ${times}`
  })
  expect(new Set(taken)).toEqual(new Set(['active, period 1: charged 1']))
}
