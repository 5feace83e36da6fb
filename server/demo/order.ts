/**
 * Decides whether the demo shop may ship an order, by the rules that every merchant should follow. The reasons are returned as
 * keys, and the shop's pages word them.
 */
import type { PaymentStatusChanged } from '../contract/event.ts'
import type { PaymentSession } from '../contract/payment.ts'
import { DEMO_PRODUCT } from './seed.ts'

/** A received event with a valid signature. `headers`: the headers that Kassa sends with an event. */
export type KnownEvent = {
  event: PaymentStatusChanged
  headers: Record<string, string>
  body: string
  receivedAt: Date
}
export type Refund = { operationId: string; status: string; amountMinor: number; requestedAt: Date }
/** The events of one payment in their order, and its refunds in the order of the requests. */
export type Memory = { events: KnownEvent[]; refunds: Refund[] }

/** The partial refund for a dented tin. */
const PART_MINOR = 50_000

const UNDECIDED = ['created', 'pending_redirect', 'pending_payment']

/** `openedAt`: when the shop started. It has no events from before, so for older changes it relies on the look-up alone. */
export function explainOrder(
  lookUp: PaymentSession,
  memory: Memory,
  { checkedAt, openedAt }: { checkedAt: Date; openedAt: Date },
) {
  const last = memory.events.at(-1) ?? null
  const isPaid = lookUp.status === 'paid'
  const isPaidByEvent = last?.event.payment.status === 'paid'
  const wasBefore = last === null && Date.parse(lookUp.updatedAt ?? '') < openedAt.getTime()
  const matches = lookUp.amountMinor === DEMO_PRODUCT.amountMinor && lookUp.currency === DEMO_PRODUCT.currency
  const mayShip = isPaid && matches && (isPaidByEvent || wasBefore)
  return {
    paymentId: lookUp.id,
    merchantOrderId: lookUp.merchantOrderId,
    mayShip,
    why: why(lookUp, { matches, isPaidByEvent, wasBefore }),
    lookUp: { ...lookUp, checkedAt: checkedAt.toISOString() },
    event: last && presentEvent(last),
    steps: [
      { key: 'returned', done: true, status: null },
      { key: 'lookedUp', done: isPaid, status: lookUp.status },
      {
        key: last ? 'told' : wasBefore ? 'toldBefore' : 'untold',
        done: isPaidByEvent || (wasBefore && isPaid),
        status: last?.event.payment.status ?? null,
      },
      { key: 'matches', done: matches, status: null },
    ],
    timeline: timeline(lookUp, memory),
    refunds: memory.refunds.map(({ requestedAt, ...rest }) => ({
      ...rest,
      requestedAt: requestedAt.toISOString(),
    })),
    refundable: refundable(lookUp, memory),
  }
}

function why(
  { status }: PaymentSession,
  { matches, isPaidByEvent, wasBefore }: { matches: boolean; isPaidByEvent: boolean; wasBefore: boolean },
): string {
  if (status !== 'paid') return UNDECIDED.includes(status) ? 'undecided' : status
  if (!matches) return 'otherPrice'
  return isPaidByEvent ? 'paidTwice' : wasBefore ? 'paidBefore' : 'paidOnce'
}

function presentEvent({ event, headers, body, receivedAt }: KnownEvent) {
  const { id, payment } = event
  return {
    id,
    status: payment.status,
    headers,
    body,
    receivedAt: receivedAt.toISOString(),
    signatureVerified: true,
  }
}

/** The creation and every change that an event reported. If no event reported the status of the look-up, that status comes last. */
function timeline({ status, createdAt, updatedAt }: PaymentSession, { events }: Memory) {
  const eventMoments = events.map(({ event }) => ({
    at: event.createdAt,
    status: event.payment.status,
    by: 'event',
  }))
  const isReported = status === 'created' || eventMoments.at(-1)?.status === status
  return [
    { at: createdAt, status: 'created', by: 'look-up' },
    ...eventMoments,
    ...(isReported ? [] : [{ at: updatedAt, status, by: 'look-up' }]),
  ]
}

/**
 * Returns the amounts that can still be refunded, in minor units, or null for none. A refund that the shop has requested counts
 * as paid back, even if the bank has not confirmed it yet. Kassa checks every refund anyway.
 */
export function refundable(
  { status, capturedMinor, refundedMinor }: PaymentSession,
  { refunds }: Pick<Memory, 'refunds'>,
) {
  const requestedMinor = refunds
    .filter((each) => each.status !== 'failed')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
  const left = capturedMinor - Math.max(refundedMinor, requestedMinor)
  const mayRefund = (status === 'paid' || status === 'partially_refunded') && left > 0
  const isUntouched = left === capturedMinor && left > PART_MINOR
  return { part: mayRefund && isUntouched ? PART_MINOR : null, rest: mayRefund ? left : null }
}
