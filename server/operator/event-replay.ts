/** Sending events again: the same id and bytes, from the start of the schedule. Receivers drop the ids that they know. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { DELIVERY_TASK } from '../payments/transition.ts'
import { inTransaction } from '../storage/db.ts'
import {
  listEventsToReplay,
  probeReceiver,
  replayEvents as replayEventRecords,
} from '../storage/events/event-history.ts'
import { addJob } from '../storage/jobs.ts'
import { type EventFilter, getEvent, selectEvents } from './event-history.ts'

const BATCH = 200

/** One event, now. @throws AppError not_found; validation_failed when its merchant has no callback URL. */
export async function replayEvent(ctx: Context, eventId: string): Promise<void> {
  const { event } = await getEvent(ctx, eventId)
  await expectAddress(ctx, event.merchantId)
  await replayBatch(ctx, event.merchantId, [eventId])
}

/**
 * All that the filter means, oldest first; `latest`: of each payment only its newest event. Answers how many. What is
 * written while this runs is left alone. @throws AppError validation_failed when the merchant has no callback URL.
 */
export async function replayEvents(
  ctx: Context,
  { latest, ...filter }: EventFilter & { latest: boolean },
): Promise<number> {
  const selection = await selectEvents(ctx, { ...filter, until: filter.until ?? ctx.clock.now() })
  const { merchantId } = selection
  if (merchantId === null) throw new Error('Bug! Events are replayed for one merchant at a time.')
  await expectAddress(ctx, merchantId)
  let count = 0
  let fromId = selection.fromId
  for (;;) {
    const ids = await listEventsToReplay(ctx.db, { ...selection, fromId }, { latest, limit: BATCH })
    count += await replayBatch(ctx, merchantId, ids)
    if (ids.length < BATCH) return count
    // Behind the last one: an id is never another's beginning.
    fromId = `${ids.at(-1)}0`
  }
}

/** The events' state and the job that wakes the workers are one write. A receiver that rests is tried at once, too. */
async function replayBatch(ctx: Context, merchantId: string, ids: string[]): Promise<number> {
  return inTransaction(ctx.db, async (tx) => {
    const now = ctx.clock.now()
    await probeReceiver(tx, merchantId, now)
    const count = await replayEventRecords(tx, merchantId, ids, now)
    await addJob(tx, { task: DELIVERY_TASK, payload: { merchantId }, jobKey: `due ${merchantId}` })
    return count
  })
}

async function expectAddress(ctx: Context, merchantId: string): Promise<void> {
  if ((await getMerchant(ctx, merchantId)).callbackUrl === null)
    throw new AppError('validation_failed', {
      message: 'The merchant has no callback URL to send events to.',
      next: [{ act: 'set_callback', merchantId }],
    })
}
