/** One attempt to deliver an event: the exchange, and what its outcome changes for the event and for its receiver. */
import { type Context, jitter, systemClock } from '../context.ts'
import { handOver } from '../orders/receive.ts'
import { workOn } from '../orders/work.ts'
import type { Exchange } from '../outbound/outbound.ts'
import { afterFailure, isBeingReplaced } from '../receivers/health.ts'
import { noteReceiver, ORDER_BOOK_URL, recoverReceiver, withoutQuery } from '../receivers/receiver.ts'
import { eventHeaders, isAccepted } from '../receivers/request.ts'
import { nextAttemptInMs, retryAfterMs } from '../receivers/schedule.ts'
import { inTransaction } from '../storage/db.ts'
import { type ClaimedEvent, recordDelivered } from '../storage/events/due-events.ts'
import { type DeliveryRecord, insertDelivery, updateEventAttempt } from '../storage/events/events.ts'
import { lockReceiver } from '../storage/events/receivers.ts'

const ANSWER_START_CHARS = 1_000
const GONE = 410

/** The outcome of an attempt. `note` stores it. */
export type Attempt = { accepted: boolean; note(): Promise<void> }

/**
 * Makes one attempt. After a crash the same attempt may be made again, so receivers must skip an id that they know.
 */
export async function attemptDelivery(
  ctx: Context,
  event: ClaimedEvent,
  secrets: string[],
): Promise<Attempt> {
  const createdAt = ctx.clock.now()
  const started = performance.now()
  const { exchange, afterwards } = await send(ctx, event, secrets)
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
    responseStart: answered && storable(answered.responseStart),
  }
  const result = accepted ? 'delivered' : answered ? 'refused' : 'failed'
  ctx.metrics.delivered(result, durationMs / 1_000)
  logAttempt(ctx, event, delivery, accepted)
  async function note(): Promise<void> {
    await (accepted ? noteAccepted(ctx, event, delivery) : noteFailure(ctx, event, delivery, exchange))
    await afterwards?.()
  }
  return { accepted, note }
}

/** `afterwards`: what the receiver does after it has accepted the event, if it is inside this process. */
async function send(
  ctx: Context,
  event: ClaimedEvent,
  secrets: string[],
): Promise<{ exchange: Exchange; afterwards?: () => Promise<void> }> {
  const { id, merchantId, url } = event
  const body = Buffer.from(event.body)
  const headers = eventHeaders({ id, body }, secrets, systemClock.now())
  const timeoutMs = ctx.config.eventTimeoutSeconds * 1000
  if (url !== ORDER_BOOK_URL) return { exchange: await ctx.outbound.post(url, { headers, body, timeoutMs }) }
  const { exchange, paymentId } = await handOver(ctx, merchantId, { headers, body: event.body })
  if (paymentId === null) return { exchange }
  return { exchange, afterwards: () => workOn(ctx, merchantId, paymentId) }
}

function logAttempt(ctx: Context, event: ClaimedEvent, delivery: DeliveryRecord, accepted: boolean): void {
  const { paymentId, merchantId, id: eventId } = event
  const { attempt, statusCode, durationMs, failure: reason } = delivery
  const line = { paymentId, eventId, attempt, statusCode, durationMs }
  if (accepted) {
    ctx.log.info(line, 'event delivered')
    return
  }
  const to = { merchantId, url: withoutQuery(event.url) }
  ctx.log.warn({ ...line, ...to, ...(reason && { reason }) }, 'delivery failed')
}

async function noteAccepted(ctx: Context, event: ClaimedEvent, delivery: DeliveryRecord): Promise<void> {
  const troubled = await recordDelivered(ctx.db, { ...delivery, deliveredAt: ctx.clock.now() })
  if (troubled) await recoverReceiver(ctx, event)
}

/** Returns the start of a response as PostgreSQL can store it: without NUL and without half a character. */
function storable(text: string): string {
  return text.replaceAll('\0', '').slice(0, ANSWER_START_CHARS).toWellFormed()
}

/** Stores the attempt, the time of the event's next attempt and the receiver's state in one transaction. */
async function noteFailure(
  ctx: Context,
  event: ClaimedEvent,
  delivery: DeliveryRecord,
  exchange: Exchange,
): Promise<void> {
  const answered = exchange.kind === 'answered' ? exchange : null
  const at = ctx.clock.now()
  // A date in Retry-After is in real time, which the sandbox's clock does not follow.
  const requestedMs = retryAfterMs(answered?.retryAfter, systemClock.now())
  const used = event.attempts - event.scheduleFrom + 1
  const scheduledMs = nextAttemptInMs(used, ctx.config.eventRetryDelaysSeconds, jitter())
  const waitMs = scheduledMs === null ? null : Math.max(scheduledMs, requestedMs)
  const gone = answered?.statusCode === GONE
  const refused = exchange.kind === 'failed' && exchange.code === 'ECONNREFUSED'
  await inTransaction(ctx.db, async (tx) => {
    const before = await lockReceiver(tx, event.merchantId, event.url)
    const policy = {
      pauseAfterMs: ctx.config.endpointPauseAfterSeconds * 1000,
      probeIntervalMs: ctx.config.endpointProbeIntervalSeconds * 1000,
    }
    const after = afterFailure(before, { at, gone, refused, waitMs, retryAfterMs: requestedMs }, policy)
    await insertDelivery(tx, delivery)
    const attempts = event.attempts + 1
    // An attempt that only checks whether a receiver works again does not count in the event's schedule.
    const next =
      before.pausedAt || gone || isBeingReplaced(before, { at, refused })
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
