/**
 * Gives the order book the events that were written before anything received them.
 * Rule: each of these events is addressed once, whatever crashes. A sale whose transaction began before the order book was chosen, and
 * ended after, is among them.
 */
import type { Context } from '../context.ts'
import type { Tx } from '../storage/db.ts'
import { addressEvents, hasEvents } from '../storage/events/due-events.ts'
import { endTakingIn, listTakingIn, type TakingIn } from '../storage/events/receivers.ts'
import { wakeFor } from '../storage/jobs.ts'
import { DELIVERY_TASK } from './announce.ts'

/** Every transaction of the service is shorter. */
const TRANSACTIONS_END_MS = 10 * 60_000
const SHOPS_AT_ONCE = 100
const EVENTS_AT_ONCE = 500

/**
 * Which earlier sales the first order book of a shop takes in, without notices. A shop without any event has none, so its owner gets a
 * notice of each sale.
 */
export async function takingIn(ctx: Context, tx: Tx, merchantId: string): Promise<TakingIn> {
  const now = ctx.clock.now()
  return {
    earlierUntil: (await hasEvents(tx, merchantId)) ? now : null,
    takingInUntil: new Date(now.getTime() + TRANSACTIONS_END_MS),
  }
}

/** Makes some of these events due for the order books. Returns how many. */
export async function takeInEarlier(ctx: Context): Promise<number> {
  let taken = 0
  for (const { merchantId, takingInUntil } of await listTakingIn(ctx.db, SHOPS_AT_ONCE)) {
    const now = ctx.clock.now()
    const count = await addressEvents(ctx.db, merchantId, now, EVENTS_AT_ONCE)
    if (count > 0) await wakeFor(ctx.db, { task: DELIVERY_TASK, merchantId })
    else if (now > takingInUntil) await endTakingIn(ctx.db, merchantId)
    taken += count
  }
  return taken
}
