/**
 * Trying a merchant's callback URL, now: a good test event, and what a careful receiver refuses. Each is a real request
 * in form; only the good one, and its repetition, are signed as they should be.
 */
import { type Context, systemClock } from '../context.ts'
import type { PaymentSession } from '../contract/payment.ts'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { isMandatory, noteCallbackEvidence, WARNING } from '../merchants/onboarding.ts'
import type { Exchange } from '../outbound.ts'
import {
  type CallbackCheckRecord,
  type CheckLine,
  insertCallbackCheck,
} from '../storage/events/callback-checks.ts'
import { adviceOn } from './advice.ts'
import { eventBody } from './body.ts'
import { type Woken, wakeReceiver } from './receiver.ts'
import { eventHeaders, isAccepted } from './request.ts'
import { listWebhookSecrets, makeWebhookSecret } from './secret.ts'

export type { CallbackCheckRecord, CheckLine } from '../storage/events/callback-checks.ts'

/** What the test event's payment is called: no order of a shop's. */
export const CHECK_ORDER_ID = 'callback-check'
const STALE_MS = 3_600_000
const FAST_MS = 5_000
const DUPLICATE = 'accepts_duplicate'

/** What passes for each line of the report, besides the good event's own three. */
const REFUSALS = {
  refuses_missing_signature: 'an event that carries no signature at all. Refuse what is not signed',
  refuses_bad_signature: 'a signature made with another secret. Compare the signature before anything else',
  refuses_stale_timestamp: 'an event that was signed an hour ago. Refuse a t more than 300 s away',
  refuses_changed_body: 'a body that was changed after signing. Sign the raw bytes, and compare',
} as const
type Refusal = keyof typeof REFUSALS

type Letter = { headers: Record<string, string>; body: string }
type Reply = { exchange: Exchange; durationMs: number }

/**
 * Sends the test events one after the other, and records what the receiver made of them. Their payment is in `created`,
 * a status that no real event reports and that nobody fulfils. One that passes is as good as an event that was taken: an
 * receiver in trouble is in good health again. `woken`: what that trouble was, null when there was none or it goes on.
 * @throws AppError not_found for no such merchant; validation_failed when it has no callback URL.
 */
export async function verifyCallback(
  ctx: Context,
  merchantId: string,
): Promise<CallbackCheckRecord & { woken: Woken }> {
  const { callbackUrl: url } = await getMerchant(ctx, merchantId)
  if (url === null)
    throw new AppError('validation_failed', {
      message: 'The merchant has no callback URL to verify.',
      next: [{ act: 'set_callback', merchantId }],
    })
  const createdAt = ctx.clock.now()
  const secrets = await listWebhookSecrets(ctx, merchantId)
  const event = testEvent(ctx)
  const write = (at = systemClock.now()): Letter => ({ ...event, headers: eventHeaders(event, secrets, at) })
  const good = await send(ctx, url, write())
  const checks = goodLines(good)
  for (const name of Object.keys(REFUSALS) as Refusal[]) {
    // A receiver that does not answer the good event is not kept waiting for the others.
    const answers = good.exchange.kind === 'answered'
    const reply = answers ? await send(ctx, url, forge(ctx, name, secrets)) : null
    checks.push(reply ? refusalLine(name, reply) : untried(name, good))
  }
  const repeated = isTaken(good.exchange) ? await send(ctx, url, write()) : null
  checks.push(repeated ? duplicateLine(repeated) : untried(DUPLICATE, good))
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
  await noteCallbackEvidence(ctx, ctx.db, merchantId, record.accepted ? url : null)
  return { ...record, woken: record.accepted ? await wakeReceiver(ctx, { merchantId, url }) : null }
}

async function send(ctx: Context, url: string, { headers, body }: Letter): Promise<Reply> {
  const started = performance.now()
  const timeoutMs = ctx.config.eventTimeoutSeconds * 1000
  const exchange = await ctx.outbound.post(url, { headers, body, timeoutMs })
  return { exchange, durationMs: Math.round(performance.now() - started) }
}

/** An event as a careful receiver refuses it; each with an id of its own, so that it is no repetition. */
function forge(ctx: Context, name: Refusal, secrets: string[]): Letter {
  const event = testEvent(ctx)
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
  const accepted = isTaken(exchange)
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
      advice: fast ? null : advice || 'It takes more than 5 s: answer first, and do the work afterwards.',
    },
  ]
}

function refusalLine(name: Refusal, reply: Reply): CheckLine {
  const statusCode = statusOf(reply.exchange)
  const passed = statusCode !== null && Math.floor(statusCode / 100) === 4
  const said = statusCode === null ? 'does not answer' : `answers ${statusCode} to`
  return {
    name,
    passed,
    statusCode,
    durationMs: reply.durationMs,
    advice: passed ? null : `It ${said} ${REFUSALS[name]}, and answer 401.`,
  }
}

function duplicateLine({ exchange, durationMs }: Reply): CheckLine {
  const passed = isTaken(exchange)
  return {
    name: DUPLICATE,
    passed,
    statusCode: statusOf(exchange),
    durationMs,
    advice: passed
      ? null
      : 'An event may come twice: answer 2xx to an id that you know, and do nothing else. Or it is sent again and again.',
  }
}

function untried(name: string, good: Reply): CheckLine {
  const why = good.exchange.kind === 'answered' ? 'was not taken' : 'got no answer'
  const advice = `Not tried, as the good event ${why}.`
  return { name, passed: false, skipped: true, statusCode: null, durationMs: 0, advice }
}

function isTaken(exchange: Exchange): boolean {
  return exchange.kind === 'answered' && isAccepted(exchange.statusCode)
}

function statusOf(exchange: Exchange): number | null {
  return exchange.kind === 'answered' ? exchange.statusCode : null
}

function testEvent(ctx: Context): { id: string; body: string } {
  const createdAt = ctx.clock.now()
  const id = newId(ctx.world, 'evt', createdAt)
  return { id, body: eventBody({ id, createdAt, sequence: 1, payment: testPayment(ctx, createdAt) }) }
}

function testPayment(ctx: Context, now: Date): PaymentSession {
  const id = newId(ctx.world, 'pay', now)
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
