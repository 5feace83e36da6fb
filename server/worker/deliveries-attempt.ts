/** One attempt to hand an event over: the exchange, and what follows from it for the event and for its receiver. */
import { type Context, jitter, systemClock } from '../context.ts'
import type { Exchange } from '../outbound.ts'
import { afterFailure } from '../receivers/health.ts'
import { noteReceiver, recoverReceiver, withoutQuery } from '../receivers/receiver.ts'
import { eventHeaders, isAccepted } from '../receivers/request.ts'
import { nextAttemptInMs, retryAfterMs } from '../receivers/schedule.ts'
import { inTransaction } from '../storage/db.ts'
import { type DeliveryRecord, insertDelivery } from '../storage/events/deliveries.ts'
import { type ClaimedEvent, recordDelivered } from '../storage/events/due-events.ts'
import { updateEventAttempt } from '../storage/events/events.ts'
import { lockReceiver } from '../storage/events/receivers.ts'

const ANSWER_START_CHARS = 1_000
const GONE = 410

/** What came of an attempt, and how it is noted. */
export type Attempt = { accepted: boolean; note(): Promise<void> }

/**
 * Makes one attempt. May run twice for one attempt after a crash, before it is noted: receivers drop an id that they know.
 */
export async function attemptDelivery(
  ctx: Context,
  event: ClaimedEvent,
  secrets: string[],
): Promise<Attempt> {
  const createdAt = ctx.clock.now()
  const started = performance.now()
  const exchange = await ctx.outbound.post(event.url, {
    headers: eventHeaders(event, secrets, systemClock.now()),
    body: event.body,
    timeoutMs: ctx.config.eventTimeoutSeconds * 1000,
  })
  const durationMs = Math.round(performance.now() - started)
  const answered = exchange.kind === 'answered' ? exchange : null
  const accepted = answered !== null && isAccepted(answered.statusCode)
  const delivery = {
    merchantId: event.merchantId,
    eventId: event.id,
    attempt: event.attempts + 1,
    url: event.url,
    createdAt,
    durationMs,
    statusCode: answered?.statusCode ?? null,
    failure: exchange.kind === 'failed' ? exchange.message : null,
    answerStart: answered && storable(answered.answerStart),
  }
  const result = accepted ? 'delivered' : answered ? 'refused' : 'failed'
  ctx.metrics.delivered(result, durationMs / 1_000)
  const level = accepted ? 'debug' : 'warn'
  ctx.log[level](
    {
      eventId: event.id,
      url: withoutQuery(event.url),
      attempt: delivery.attempt,
      statusCode: delivery.statusCode,
      durationMs,
      ...(delivery.failure && { reason: delivery.failure }),
    },
    accepted ? 'delivery' : 'delivery failed',
  )
  const note = () =>
    accepted ? noteAccepted(ctx, event, delivery) : noteFailure(ctx, event, delivery, exchange)
  return { accepted, note }
}

async function noteAccepted(ctx: Context, event: ClaimedEvent, delivery: DeliveryRecord): Promise<void> {
  const troubled = await recordDelivered(ctx.db, { ...delivery, deliveredAt: ctx.clock.now() })
  if (troubled) await recoverReceiver(ctx, event)
}

/** The start of an answer as PostgreSQL takes it: no NUL, no half of a character. */
function storable(text: string): string {
  return text.replaceAll('\0', '').slice(0, ANSWER_START_CHARS).toWellFormed()
}

/** The attempt, the event's next one and the receiver's state are one write. */
async function noteFailure(
  ctx: Context,
  event: ClaimedEvent,
  delivery: DeliveryRecord,
  exchange: Exchange,
): Promise<void> {
  const answered = exchange.kind === 'answered' ? exchange : null
  const at = ctx.clock.now()
  // A date in it is of the receiver's clock, which goes by real time.
  const askedMs = retryAfterMs(answered?.retryAfter, systemClock.now())
  const used = event.attempts - event.scheduleFrom + 1
  const scheduledMs = nextAttemptInMs(used, ctx.config.eventRetryDelaysSeconds, jitter())
  const waitMs = scheduledMs === null ? null : Math.max(scheduledMs, askedMs)
  const gone = answered?.statusCode === GONE
  await inTransaction(ctx.db, async (tx) => {
    const before = await lockReceiver(tx, event.merchantId, event.url)
    const policy = {
      pauseAfterMs: ctx.config.endpointPauseAfterSeconds * 1000,
      probeIntervalMs: ctx.config.endpointProbeIntervalSeconds * 1000,
    }
    const after = afterFailure(before, { at, gone, waitMs, retryAfterMs: askedMs }, policy)
    await insertDelivery(tx, delivery)
    const attempts = event.attempts + 1
    // What is tried on a paused receiver, only to see whether it is back, uses up nothing of the event's schedule.
    const next =
      before.pausedAt || gone
        ? { state: 'pending' as const, dueAt: event.dueAt, scheduleFrom: event.scheduleFrom + 1 }
        : {
            state: waitMs === null ? ('exhausted' as const) : ('pending' as const),
            dueAt: waitMs === null ? null : new Date(at.getTime() + waitMs),
            scheduleFrom: event.scheduleFrom,
          }
    await updateEventAttempt(tx, { ...event, attempts, ...next })
    await noteReceiver(ctx, tx, event, { before, after })
  })
}
