/** A worker that dies in the middle of a charge, at one statement after the other. In two sizes. */
import { expect } from 'vitest'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { type ChargingBank, openChargingBank } from '../../testing/charging-bank.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { mortalDb, recordingDb } from '../../testing/mortal-db.ts'
import { createSubscription, openToken, subscriptionRequest, sweep } from '../../testing/subscriptions.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Made without a transaction. */
export const CHARGE_WRITES = ['claim_due_subscriptions']

type World = { kassa: Kassa; shop: Shop; bank: ChargingBank }

async function begin({ kassa, shop }: World, order: string): Promise<string> {
  const tokenId = await openToken(kassa.url, shop)
  const body = subscriptionRequest(tokenId, { merchantSubscriptionId: order })
  const { status, body: answer } = await createSubscription(kassa.url, shop, { body })
  expect(status).toBe(201)
  return answer.subscription.id
}

/**
 * Lets a worker die at each of the points that `choose` picks of a charge's statements: one charge for the period in the
 * bank's books, also where the bank's answer is lost. Returns how many points there were.
 */
export async function dieWhileCharging(
  answer: 'comes' | 'is lost',
  choose: (statements: string[]) => number[],
): Promise<number> {
  const kassa = await startKassa()
  const world = { kassa, shop: await openShop(kassa.ctx), bank: openChargingBank(kassa.ctx) }
  const { ctx, clock } = kassa
  const { bank, shop } = world
  const find = (id: string) => findSubscription(ctx.db, shop.merchantId, id)
  const charge = async (order: string, db: typeof ctx.db) => {
    const id = await begin(world, order)
    bank.taken.length = 0
    bank.bends = answer === 'is lost' ? ['lose'] : []
    await SWEEPS.renewals({ ...ctx, db }).catch(() => {})
    bank.bends = []
    return id
  }
  try {
    const statements: string[] = []
    await charge('alive', recordingDb(ctx.db, statements))
    await ctx.db.query('update sandbox.subscriptions set due_at = null')
    const points = choose(statements)
    let survived = 0
    for (const point of points) {
      const id = await charge(`box-${point}`, mortalDb(ctx.db, point))
      if ((await find(id))?.status === 'active') survived++
      // The lease of the dead ends, and, where the charge was noted and never sent, its hour.
      for (const ms of [2 * MINUTE_MS, 62 * MINUTE_MS, 2 * DAY_MS]) {
        clock.advance(ms)
        await sweep(kassa)
      }
      const seen = [point, (await find(id))?.status, bank.taken.map(({ period }) => period)]
      expect(seen).toEqual([point, 'active', [1]])
      await ctx.db.query('update sandbox.subscriptions set due_at = null')
    }
    // The last points lie behind the end.
    expect(survived).toBeGreaterThanOrEqual(2)
    expect(survived).toBeLessThan(points.length)
    return points.length
  } finally {
    await kassa.close()
  }
}
