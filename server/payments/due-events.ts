/** The events that wait to be sent, for whoever moves the clock. */
import type { Context } from '../context.ts'
import { findNextDueEvent, listMerchantsWithDueEvents } from '../storage/due-events.ts'
import { addJob } from '../storage/jobs.ts'
import { DELIVERY_TASK } from './transition.ts'

/** Has the workers send, now, what is due by the context's clock. Answers for how many merchants there was something. */
export async function bringDeliveriesForward(ctx: Context): Promise<number> {
  const merchantIds = await listMerchantsWithDueEvents(ctx.db, ctx.clock.now())
  for (const merchantId of merchantIds)
    await addJob(ctx.db, { task: DELIVERY_TASK, payload: { merchantId }, jobKey: `due ${merchantId}` })
  return merchantIds.length
}

/** When, after `after`, a worker has the next event to send; null when nothing waits. */
export async function nextDeliveryDueAt(ctx: Context, after: Date): Promise<Date | null> {
  return findNextDueEvent(ctx.db, after)
}
