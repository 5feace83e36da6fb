/**
 * The orders room: the order book, a receiver inside Kassa for merchants who have no back end of their own.
 * Rule: it learns of payments only from signed events, as any receiver does. It stores an event before it accepts the event, and
 * works on it afterwards, so a repeated, late or lost event does what it does to a receiver kit.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Context, systemClock } from '../context.ts'
import type { PaymentStatusChanged } from '../contract/event.ts'
import type { Exchange } from '../outbound/outbound.ts'
import { openWebhookSecrets } from '../receivers/secret.ts'
import { storeOrderPayment } from '../storage/orders/payments.ts'
import { isTakenBack } from './decide.ts'

type EventRequest = { headers: Record<string, string | undefined>; body: string }
/** `paymentId`: the payment that `workOn` must handle. */
type Reply = { statusCode: number; text: string; paymentId: string | null }

/** How long the process that has stored an event has to work on it. After that any worker does. */
export const WORK_LEASE_MS = 10_000

/** Takes one event of the merchant. @throws AppError storage_unavailable; the event is then sent again */
export async function takeEvent(
  ctx: Context,
  merchantId: string,
  { headers, body }: EventRequest,
): Promise<Reply> {
  const secrets = await openWebhookSecrets(ctx, merchantId)
  const header = headers['x-service-signature']
  const refusal = refusalOf(body, { header, secrets, now: systemClock.now() })
  if (refusal) return { statusCode: 401, text: refusal, paymentId: null }
  const event = JSON.parse(body) as PaymentStatusChanged
  if (event.type !== 'payment.status_changed')
    return { statusCode: 200, text: 'The order book ignores events of this type.', paymentId: null }
  // The test event of `callback verify` is about no payment. A merchant can write its `source` too, but no real event has its status.
  if (event.payment.metadata?.source === 'callback_check' && event.payment.status === 'created')
    return { statusCode: 200, text: 'The test event was understood.', paymentId: null }
  const dueAt = new Date(ctx.clock.now().getTime() + WORK_LEASE_MS)
  await storeOrderPayment(ctx.db, { merchantId, ...stateOf(event) }, dueAt)
  return { statusCode: 200, text: 'Stored.', paymentId: event.payment.id }
}

function stateOf({ payment, sequence, createdAt }: PaymentStatusChanged) {
  const { id: paymentId, merchantOrderId: reference, status, amountMinor, currency } = payment
  const { capturedMinor = amountMinor, refundedMinor = 0, customer, metadata } = payment
  return {
    paymentId,
    reference,
    sequence,
    status,
    amountMinor,
    capturedMinor,
    refundedMinor,
    currency,
    buyer: customer || metadata ? { customer, metadata } : null,
    takenBack: isTakenBack(status),
    eventAt: createdAt ? new Date(createdAt) : systemClock.now(),
  }
}

/** Hands an event over inside the process. Never throws: an order book that cannot store it is a receiver that is away. */
export async function handOver(
  ctx: Context,
  merchantId: string,
  request: EventRequest,
): Promise<{ exchange: Exchange; paymentId: string | null }> {
  try {
    const { statusCode, text, paymentId } = await takeEvent(ctx, merchantId, request)
    const exchange = { kind: 'answered', statusCode, retryAfter: undefined, responseStart: text } as const
    return { exchange, paymentId }
  } catch (error) {
    ctx.log.warn({ err: error, merchantId }, 'the order book could not store an event')
    return { exchange: { kind: 'failed', message: 'The order book could not store it.' }, paymentId: null }
  }
}

const TOLERANCE_SECONDS = 300

/**
 * Returns why this is not an event of Kassa, or null if it is one. `secrets`: those of the merchant. `header`: X-SERVICE-Signature.
 * `now`: the real time, because a signature has the real time too.
 */
export function refusalOf(
  body: string,
  { header = '', secrets, now }: { header: string | undefined; secrets: string[]; now: Date },
): string | null {
  const parts = header.split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{10}$/.test(t)) return 'There is no X-SERVICE-Signature header with a time in seconds.'
  const given = parts.filter(([name]) => name === 'v1').map(([, hex = '']) => Buffer.from(hex, 'hex'))
  const isSigned = secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${t}.${body}`).digest()
    return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected))
  })
  if (!isSigned) return 'No signature fits.'
  const ageSeconds = Math.round(now.getTime() / 1000 - Number(t))
  return Math.abs(ageSeconds) > TOLERANCE_SECONDS ? `It was signed ${ageSeconds} s ago.` : null
}
