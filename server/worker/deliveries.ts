/** The job that hands one event over: one attempt a run, the next one scheduled by us. */
import { type Context, jitter } from '../context.ts'
import { EXCHANGE_TIMEOUT_MS, eventHeaders, isAccepted } from '../events/request.ts'
import { nextAttemptInMs } from '../events/schedule.ts'
import { listWebhookSecrets } from '../merchants/webhook-secret.ts'
import type { Exchange } from '../outbound.ts'
import { DELIVERY_TASK } from '../payments/transition.ts'
import { inTransaction, type Queryable } from '../storage/db.ts'
import { insertDelivery } from '../storage/deliveries.ts'
import { type EventRecord, findEvent, isEarlierEventUnsent, updateEventState } from '../storage/events.ts'
import { addJob } from '../storage/jobs.ts'
import { findMerchant } from '../storage/merchants.ts'

/** How long an event waits before it looks again whether the one before it has been sent. */
const ORDER_WAIT_MS = 300
const ANSWER_START_CHARS = 1_000

export type DeliveryJob = { merchantId: string; eventId: string }

/** Makes one attempt. May run twice for one attempt after a crash: receivers drop an id that they know. */
export async function deliverEvent(ctx: Context, job: DeliveryJob): Promise<void> {
  const event = await findEvent(ctx.db, job.merchantId, job.eventId)
  if (event?.state !== 'pending') return
  if (event.attempts === 0 && (await isEarlierEventUnsent(ctx.db, event)))
    return sendLater(ctx.db, job, ORDER_WAIT_MS)
  // Not the cached record: an address that was set a moment ago must not be missed.
  const merchant = await findMerchant(ctx.db, event.merchantId)
  if (!merchant?.callbackUrl) {
    await updateEventState(ctx.db, event, {
      attempts: event.attempts,
      state: 'unaddressed',
      at: ctx.clock.now(),
    })
    return
  }
  const startedAt = ctx.clock.now()
  const started = performance.now()
  const exchange = await send(ctx, event, merchant.callbackUrl)
  const durationMs = Math.round(performance.now() - started)
  await conclude(ctx, job, event, { url: merchant.callbackUrl, exchange, startedAt, durationMs })
}

async function send(ctx: Context, event: EventRecord, url: string): Promise<Exchange> {
  const secrets = await listWebhookSecrets(ctx, event.merchantId)
  const headers = eventHeaders(event, secrets, ctx.clock.now())
  return ctx.outbound.post(url, { headers, body: event.body, timeoutMs: EXCHANGE_TIMEOUT_MS })
}

type Attempt = { url: string; exchange: Exchange; startedAt: Date; durationMs: number }

/** Notes the attempt and, unless it was accepted, schedules the next: both or neither. */
async function conclude(ctx: Context, job: DeliveryJob, event: EventRecord, attempt: Attempt): Promise<void> {
  const { exchange, url, startedAt, durationMs } = attempt
  const attempts = event.attempts + 1
  const answered = exchange.kind === 'answered' ? exchange : null
  const accepted = answered !== null && isAccepted(answered.statusCode)
  const waitMs = accepted ? null : nextAttemptInMs(attempts, ctx.config.eventRetryDelaysSeconds, jitter())
  const state = accepted ? 'delivered' : waitMs === null ? 'exhausted' : 'pending'
  await inTransaction(ctx.db, async (tx) => {
    await insertDelivery(tx, {
      ...{
        merchantId: event.merchantId,
        eventId: event.id,
        attempt: attempts,
        url,
        createdAt: startedAt,
        durationMs,
      },
      statusCode: answered?.statusCode ?? null,
      failure: exchange.kind === 'failed' ? exchange.message : null,
      answerStart: answered?.answerStart.replaceAll('\0', '').slice(0, ANSWER_START_CHARS) ?? null,
    })
    await updateEventState(tx, event, { attempts, state, at: ctx.clock.now() })
    if (waitMs !== null) await sendLater(tx, job, waitMs)
  })
  const result = accepted ? 'delivered' : answered ? 'refused' : 'failed'
  ctx.metrics.delivered(result, durationMs / 1_000)
  const level = accepted ? 'debug' : 'warn'
  ctx.log[level](
    { eventId: event.id, attempt: attempts, state, statusCode: answered?.statusCode, durationMs },
    'delivery',
  )
}

async function sendLater(db: Queryable, job: DeliveryJob, waitMs: number): Promise<void> {
  await addJob(db, { task: DELIVERY_TASK, payload: job, jobKey: job.eventId, waitMs })
}
