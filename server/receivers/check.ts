/**
 * Verifies a merchant's callback URL: sends a valid test event, and events that a correct receiver rejects. Only the valid event
 * and its repetition have a correct signature.
 */
import { type Context, systemClock } from '../context.ts'
import type { PaymentSession } from '../contract/payment.ts'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { isMandatory, WARNING } from '../merchants/onboarding.ts'
import type { Exchange } from '../outbound/outbound.ts'
import {
  type CallbackCheckRecord,
  type CheckLine,
  type CheckName,
  insertCallbackCheck,
} from '../storage/events/callback-checks.ts'
import { adviceOn } from './advice.ts'
import { eventBody } from './body.ts'
import { type EndedTrouble, endTrouble, noteVerified } from './receiver.ts'
import { eventHeaders, isAccepted } from './request.ts'
import { makeWebhookSecret, openWebhookSecrets } from './secret.ts'

export type { CheckLine } from '../storage/events/callback-checks.ts'

/** The order reference of the test event's payment. No shop has this order. */
const CHECK_ORDER_ID = 'callback-check'
const STALE_MS = 3_600_000
const FAST_MS = 5_000
const DUPLICATE = 'accepts_duplicate'

/** For each check of the report that a rejection passes: the event that was sent, and the advice if it was accepted. */
const REFUSALS = {
  refuses_missing_signature: 'an event without a signature. Reject every event that is not signed',
  refuses_bad_signature: 'a signature made with another secret. Compare the signature before anything else',
  refuses_stale_timestamp: 'an event that was signed an hour ago. Reject a t that is more than 300 s away',
  refuses_changed_body:
    'a body that was changed after signing. Calculate the signature of the raw bytes, and compare',
} as const satisfies Partial<Record<CheckName, string>>
type Refusal = keyof typeof REFUSALS
export const isRefusal = (name: CheckName): name is Refusal => Object.hasOwn(REFUSALS, name)

type EventRequest = { headers: Record<string, string>; body: string }
export type Verified = CallbackCheckRecord & { woken: EndedTrouble }

/**
 * `post`: how events are sent. `provesByItself`: whether a receiver that passes is verified. The order book is not: a person has to
 * read its news, too.
 */
type VerifyOptions = {
  post?: (url: string, request: EventRequest) => Promise<Exchange>
  provesByItself?: boolean
}
type Reply = { exchange: Exchange; durationMs: number }

/**
 * Sends the test events one after the other, and stores the responses. Their payment has the status `created`, which no real
 * event reports and no shop fulfils. A receiver that passes counts as healthy again, as after an accepted event. `woken`:
 * the state that this ended, or null if the receiver was healthy or did not pass.
 * @throws AppError not_found for an unknown merchant; validation_failed if the merchant has no callback URL
 */
export async function verifyCallback(
  ctx: Context,
  merchantId: string,
  {
    post = (url, request) =>
      ctx.outbound.post(url, { ...request, timeoutMs: ctx.config.eventTimeoutSeconds * 1000 }),
    provesByItself = true,
  }: VerifyOptions = {},
): Promise<Verified> {
  const { callbackUrl: url } = await getMerchant(ctx, merchantId)
  if (url === null)
    throw new AppError('validation_failed', {
      reason: 'callback_none',
      message: 'The merchant has no callback URL to verify.',
      next: [{ act: 'set_callback', merchantId }],
    })
  const createdAt = ctx.clock.now()
  const secrets = await openWebhookSecrets(ctx, merchantId)
  const event = testEvent(ctx, merchantId)
  const write = (at = systemClock.now()): EventRequest => ({
    ...event,
    headers: eventHeaders(event, secrets, at),
  })
  const send = sendWith(post, url)
  const good = await send(write())
  const checks = goodLines(good)
  for (const name of Object.keys(REFUSALS) as Refusal[]) {
    // If the receiver does not respond to the valid event, the other checks would only time out too.
    const answers = good.exchange.kind === 'answered'
    const reply = answers ? await send(forge(ctx, merchantId, name, secrets)) : null
    checks.push(reply ? refusalLine(name, reply) : skipped(name, good))
  }
  const repeated = isAcceptedReply(good.exchange) ? await send(write()) : null
  checks.push(repeated ? duplicateLine(repeated) : skipped(DUPLICATE, good))
  const { exchange, durationMs } = good
  const record: CallbackCheckRecord = {
    merchantId,
    id: event.id,
    url,
    createdAt,
    durationMs,
    checks,
    accepted: checks.every((line) => line.passed || !isMandatory(line)),
    statusCode: statusOf(exchange),
    failure: exchange.kind === 'failed' ? exchange.message : null,
  }
  await insertCallbackCheck(ctx.db, record)
  if (provesByItself || !record.accepted)
    await noteVerified(ctx, { merchantId, url }, { isProved: record.accepted })
  return { ...record, woken: record.accepted ? await endTrouble(ctx, { merchantId, url }) : null }
}

const sendWith =
  (post: NonNullable<VerifyOptions['post']>, url: string) =>
  async (request: EventRequest): Promise<Reply> => {
    const started = performance.now()
    const exchange = await post(url, request)
    return { exchange, durationMs: Math.round(performance.now() - started) }
  }

/** Returns an event that a correct receiver rejects. Each has a new id, so it does not count as a repetition. */
function forge(ctx: Context, merchantId: string, name: Refusal, secrets: string[]): EventRequest {
  const event = testEvent(ctx, merchantId)
  const now = systemClock.now()
  switch (name) {
    case 'refuses_missing_signature':
      return { ...event, headers: unsigned(eventHeaders(event, secrets, now)) }
    case 'refuses_bad_signature':
      return { ...event, headers: eventHeaders(event, [makeWebhookSecret()], now) }
    case 'refuses_stale_timestamp':
      return { ...event, headers: eventHeaders(event, secrets, new Date(now.getTime() - STALE_MS)) }
    case 'refuses_changed_body':
      return {
        body: event.body.replaceAll('"amountMinor":100', '"amountMinor":900'),
        headers: eventHeaders(event, secrets, now),
      }
  }
}

function unsigned(headers: Record<string, string>): Record<string, string> {
  const { 'x-service-signature': _, 'webhook-signature': __, ...rest } = headers
  return rest
}

function goodLines({ exchange, durationMs }: Reply): CheckLine[] {
  const statusCode = statusOf(exchange)
  const measured = { statusCode, durationMs }
  const accepted = isAcceptedReply(exchange)
  const direct = statusCode !== null && Math.floor(statusCode / 100) !== 3
  const fast = statusCode !== null && durationMs < FAST_MS
  const advice = adviceOn(exchange)
  return [
    { name: 'accepts_event', passed: accepted, ...measured, advice: accepted ? null : advice },
    { name: 'no_redirect', passed: direct, ...measured, advice: direct ? null : advice },
    {
      name: WARNING,
      passed: fast,
      ...measured,
      advice: fast
        ? null
        : advice || 'It takes more than 5 s. Let it respond first, and do the work afterwards.',
    },
  ]
}

function refusalLine(name: Refusal, reply: Reply): CheckLine {
  const statusCode = statusOf(reply.exchange)
  const passed = statusCode !== null && Math.floor(statusCode / 100) === 4
  const response = statusCode === null ? 'does not respond to' : `responds ${statusCode} to`
  return {
    name,
    passed,
    statusCode,
    durationMs: reply.durationMs,
    advice: passed ? null : `It ${response} ${REFUSALS[name]}, and respond 401.`,
  }
}

function duplicateLine({ exchange, durationMs }: Reply): CheckLine {
  const passed = isAcceptedReply(exchange)
  return {
    name: DUPLICATE,
    passed,
    statusCode: statusOf(exchange),
    durationMs,
    advice: passed
      ? null
      : 'An event can arrive twice. Respond 2xx to an id that you know, and do nothing else. Any other response makes Kassa send it again.',
  }
}

function skipped(name: CheckName, good: Reply): CheckLine {
  const why = good.exchange.kind === 'answered' ? 'was rejected' : 'got no response'
  const advice = `Not tried, because the valid event ${why}.`
  return { name, passed: false, skipped: true, statusCode: null, durationMs: 0, advice }
}

function isAcceptedReply(exchange: Exchange): boolean {
  return exchange.kind === 'answered' && isAccepted(exchange.statusCode)
}

function statusOf(exchange: Exchange): number | null {
  return exchange.kind === 'answered' ? exchange.statusCode : null
}

function testEvent(ctx: Context, merchantId: string): { id: string; body: string } {
  const createdAt = ctx.clock.now()
  const id = newId(ctx.world, 'evt', merchantId, createdAt)
  const payment = testPayment(ctx, merchantId, createdAt)
  return { id, body: eventBody({ id, createdAt, sequence: 1, operationId: null, payment }) }
}

function testPayment(ctx: Context, merchantId: string, now: Date): PaymentSession {
  const id = newId(ctx.world, 'pay', merchantId, now)
  return {
    id,
    merchantOrderId: CHECK_ORDER_ID,
    provider: 'manual',
    amountMinor: 100,
    currency: 'EUR',
    status: 'created',
    fiscalStatus: 'not_required',
    livemode: ctx.world === 'live',
    capturedMinor: 0,
    refundedMinor: 0,
    checkoutUrl: `${ctx.baseUrl}/checkout/${id}`,
    metadata: { source: 'callback_check' },
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  }
}
