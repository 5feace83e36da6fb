/** Sends events again, with the same id and body, from the start of the schedule. Receivers ignore ids that they know. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { DELIVERY_TASK } from '../receivers/announce.ts'
import { inTransaction } from '../storage/db.ts'
import {
  listEventsToReplay,
  probeReceiver,
  replayEvents as replayEventRecords,
} from '../storage/events/event-history.ts'
import { addJob } from '../storage/jobs.ts'
import { type EventFilter, getEvent, selectEvents } from './event-history.ts'

const BATCH = 200

/**
 * Sends one event again now.
 * @throws AppError not_found; validation_failed if its merchant has no callback URL, or if its buyer was forgotten
 */
export async function replayEvent(ctx: Context, eventId: string): Promise<void> {
  const { event } = await getEvent(ctx, eventId)
  await expectAddress(ctx, event.merchantId)
  if ((await replayBatch(ctx, event.merchantId, [eventId])) > 0) return
  throw new AppError('validation_failed', {
    message:
      'The event has no body any more, because its buyer was forgotten. The shop can look up the payment.',
  })
}

type Replay = EventFilter & { latest: boolean }

/** Sends every event of the filter again, oldest first, and returns how many. @throws AppError those of replaySome */
export async function replayEvents(ctx: Context, filter: Replay): Promise<number> {
  return (await replaySome(ctx, filter)).count
}

/**
 * Sends the events of the filter again, oldest first, and ends after about `most` of them. `from`: the `next` of the call before.
 * `latest`: only the newest event of each payment.
 * Events that are written meanwhile are not included. @throws AppError validation_failed if the merchant has no callback URL.
 */
export async function replaySome(
  ctx: Context,
  { latest, most = Number.POSITIVE_INFINITY, from, ...filter }: Replay & { most?: number; from?: string },
): Promise<{ count: number; next: string | null }> {
  const selection = await selectEvents(ctx, { ...filter, until: filter.until ?? ctx.clock.now() })
  const { merchantId } = selection
  if (merchantId === null) throw new Error('Bug! Events are replayed for one merchant at a time.')
  await expectAddress(ctx, merchantId)
  let count = 0
  let fromId = from ?? selection.fromId
  for (;;) {
    const ids = await listEventsToReplay(ctx.db, { ...selection, fromId }, { latest, limit: BATCH })
    count += await replayBatch(ctx, merchantId, ids)
    if (ids.length < BATCH) return { count, next: null }
    // Continue after the last id. No id begins with another id, so `<id>0` sorts between `<id>` and the next one.
    fromId = `${ids.at(-1)}0`
    if (count >= most) return { count, next: fromId }
  }
}

/** The events' state and the job for the workers are one write. A resting receiver is tried at once, too. */
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
