/** A worker dies during a charge, each time at another statement. The short and the long test both use this suite. */
import { expect } from 'vitest'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { mortalDb, recordingDb } from '../../testing/mortal-db.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { type ChargingBank, openChargingBank } from '../../testing/providers/charging-bank.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** The writes of a charge that run without a transaction. */
export const CHARGE_WRITES = ['claim_due_subscriptions']

type Setup = { kassa: Kassa; shop: Shop; bank: ChargingBank; tokenId: string }

async function openSubscription({ kassa, shop, tokenId }: Setup, order: string): Promise<string> {
  const body = subscriptionRequest(tokenId, { merchantSubscriptionId: order })
  const { status, body: answer } = await createSubscription(kassa.url, shop, { body })
  expect(status).toBe(201)
  return answer.subscription.id
}

/**
 * Lets a worker die before each of the statements that `choose` picks from a charge's statements. The bank must charge the period
 * once, also if its answer is lost. Returns how many statements were picked.
 */
export async function dieWhileCharging(
  answer: 'arrives' | 'is lost',
  choose: (statements: string[]) => number[],
): Promise<number> {
  const kassa = await startKassa()
  const shop = await openShop(kassa.ctx)
  const tokenId = await openToken(kassa.url, shop)
  const bank = openChargingBank(kassa.ctx)
  const setup = { kassa, shop, bank, tokenId }
  const { ctx, clock } = kassa
  const find = (id: string) => findSubscription(ctx.db, shop.merchantId, id)
  const charge = async (order: string, db: typeof ctx.db) => {
    const id = await openSubscription(setup, order)
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
      // The dead worker's lease ends. A charge that was marked as sent but never reached the bank fails after an hour.
      for (const ms of [2 * MINUTE_MS, 62 * MINUTE_MS, 2 * DAY_MS]) {
        clock.advance(ms)
        await sweep(kassa)
      }
      const seen = [point, (await find(id))?.status, bank.taken.map(({ period }) => period)]
      expect(seen).toEqual([point, 'active', [1]])
      await ctx.db.query('update sandbox.subscriptions set due_at = null')
    }
    // The last points come after the charge's last statement, so the worker survives them.
    expect(survived).toBeGreaterThanOrEqual(2)
    expect(survived).toBeLessThan(points.length)
    return points.length
  } finally {
    await kassa.close()
  }
}
