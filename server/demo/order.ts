/**
 * What the demo shop knows of an order, and why it may not ship yet: the rules that every merchant should keep. It names
 * what it knows; the shop's pages word it.
 */
import type { PaymentStatusChanged } from '../contract/event.ts'
import type { PaymentSession } from '../contract/payment.ts'
import { DEMO_PRODUCT } from './seed.ts'

/** An event as it arrived, after its signature was found to fit. `headers`: those that travel with an event. */
export type KnownEvent = {
  event: PaymentStatusChanged
  headers: Record<string, string>
  body: string
  receivedAt: Date
}
export type Refund = { operationId: string; status: string; amountMinor: number; requestedAt: Date }
/** Of one payment: events by their order, refunds as they were asked for. */
export type Memory = { events: KnownEvent[]; refunds: Refund[] }

/** What the shop gives back for a dented tin. */
const PART_MINOR = 50_000

const UNDECIDED = ['created', 'pending_redirect', 'pending_payment']

/** `openedAt`: since when the shop remembers; what happened before, it knows by its look-up alone. */
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

/** Every change that an event told of, from the creation on; the look-up's word last, where no event has said it. */
function timeline({ status, createdAt, updatedAt }: PaymentSession, { events }: Memory) {
  const told = events.map(({ event }) => ({ at: event.createdAt, status: event.payment.status, by: 'event' }))
  const isTold = status === 'created' || told.at(-1)?.status === status
  return [
    { at: createdAt, status: 'created', by: 'look-up' },
    ...told,
    ...(isTold ? [] : [{ at: updatedAt, status, by: 'look-up' }]),
  ]
}

/**
 * What may still be asked back, in minor units; null: nothing. The look-up names no sum that was refunded, but this shop
 * refunds in one part and the rest, so the status tells. Kassa has the last word in any case.
 */
export function refundable({ status, amountMinor }: PaymentSession, { refunds }: Memory) {
  const asked = refunds.filter((each) => each.status !== 'failed')
  const isPartAsked = status === 'partially_refunded' || asked.length > 0
  const left = isPartAsked ? amountMinor - PART_MINOR : amountMinor
  const isAllAsked = asked.some((each) => each.amountMinor !== PART_MINOR)
  const mayRefund = (status === 'paid' || status === 'partially_refunded') && !isAllAsked && left > 0
  return {
    part: mayRefund && !isPartAsked && amountMinor > PART_MINOR ? PART_MINOR : null,
    rest: mayRefund ? left : null,
  }
}
