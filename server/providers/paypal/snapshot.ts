/**
 * Translates a PayPal order into our words. The amounts come from the payments of the order, because the order's own status
 * says only that its intent was carried out.
 */
import type { NamedRefund, Snapshot } from '../driver.ts'
import { declineOfIssue, declineOfProcessor } from './decline.ts'
import { minorOf, sumOf } from './money.ts'
import { type Declined, readName } from './order.ts'
import type { Authorization, Capture, Order, Unit } from './wire.ts'

const TAKEN: readonly Capture['status'][] = ['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']
const HELD: readonly Authorization['status'][] = ['CREATED', 'PARTIALLY_CAPTURED', 'CAPTURED']
const CAPTURED: readonly Authorization['status'][] = ['PARTIALLY_CAPTURED', 'CAPTURED']

/** Why PayPal holds a payment back, where the shop can do something about it. */
const WAITING: Record<string, string> = {
  RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION:
    'the PayPal account holds no balance in this currency: accept the payment at PayPal',
  UNILATERAL: "the shop's PayPal e-mail address is not confirmed",
  VERIFICATION_REQUIRED: "the shop's PayPal account is not verified",
  PENDING_REVIEW: 'PayPal is reviewing the payment',
  ECHECK: 'the buyer pays from a bank account, which takes days',
}

type Money = Pick<Snapshot, 'authorizedMinor' | 'capturedMinor' | 'refundedMinor' | 'refundPendingMinor'>

/** `declined`: the last refusal of this order's payment. It counts until the buyer approves again. `isCharge`: no buyer is sent to it. */
type Known = { declined: Declined | undefined; isCharge: boolean; now: Date }

/** @throws Error if payments are missing in the order */
export function snapshotOf(order: Order, known: Known): Snapshot {
  const { now } = known
  const [unit] = order.purchase_units
  expectPayments(order)
  const { authorizations, captures, refunds } = unit.payments
  const taken = captures.filter(({ status }) => TAKEN.includes(status))
  const capturedMinor = sumOf(taken.map(({ amount }) => amount))
  const held = authorizations.filter((each) => HELD.includes(each.status) && !hasLapsed(each, now))
  const money = {
    authorizedMinor: Math.max(sumOf(held.map(({ amount }) => amount)), capturedMinor),
    capturedMinor,
    ...returnedOf(unit),
  } satisfies Money
  const [first] = taken
  const id = (first ?? captures[0] ?? authorizations[0])?.id
  const fees = taken.flatMap(({ seller_receivable_breakdown: breakdown }) => breakdown?.paypal_fee ?? [])
  return {
    reference: unit.custom_id,
    amountMinor: minorOf(unit.amount),
    currency: unit.amount.currency_code,
    ...money,
    refunds: refunds.map(nameOf),
    ...standing(order, known, money),
    ...instrumentOf(order),
    ...(id !== undefined && { providerTransactionId: id }),
    ...(first?.create_time && { capturedAt: new Date(first.create_time).toISOString() }),
    ...(fees.length > 0 && { feeMinor: sumOf(fees) }),
  }
}

const STATES = { COMPLETED: 'done', PENDING: 'pending', FAILED: 'failed', CANCELLED: 'failed' } as const

type Refund = Unit['payments']['refunds'][number]

function nameOf({ id, status, amount, custom_id = '' }: Refund): NamedRefund {
  const { key } = readName(custom_id)
  return { ...(key !== undefined && { key }), id, amountMinor: minorOf(amount), state: STATES[status] }
}

/**
 * PayPal leaves out empty lists. The other parts of an order show if a list is missing that is not empty. Without this check, money
 * that is not shown would count as money that is not there.
 * @throws Error if a list is missing
 */
function expectPayments({ status, intent, purchase_units: [{ payments }] }: Order): void {
  const { authorizations, captures, refunds } = payments
  const isCaptured = authorizations.some((each) => CAPTURED.includes(each.status)) || refunds.length > 0
  const isReturned = captures.some((each) => each.status === 'PARTIALLY_REFUNDED')
  const missing =
    (status === 'COMPLETED' && captures.length + authorizations.length === 0 && 'payments') ||
    (intent === 'AUTHORIZE' && captures.length > 0 && authorizations.length === 0 && 'authorizations') ||
    (isCaptured && captures.length === 0 && 'captures') ||
    (isReturned && refunds.length === 0 && 'refunds')
  if (missing) throw new Error(`PayPal shows the order without its ${missing}`)
}

/** A capture that is REFUNDED was returned in full, also if not every refund is listed. */
function returnedOf({ payments: { captures, refunds } }: Unit) {
  const sumBy = (all: readonly { status: string; amount: Capture['amount'] }[], status: string) =>
    sumOf(all.filter((each) => each.status === status).map(({ amount }) => amount))
  const refundPendingMinor = sumBy(refunds, 'PENDING')
  const returnedMinor = sumBy(captures, 'REFUNDED') - refundPendingMinor
  return { refundedMinor: Math.max(sumBy(refunds, 'COMPLETED'), returnedMinor), refundPendingMinor }
}

type Said = Pick<Snapshot, 'order' | 'isUnderWay' | 'detail' | 'decline' | 'declineCategory'>

function standing(order: Order, { declined, isCharge, now }: Known, money: Money): Said {
  // A refusal of the shop's account is stored too, so that the next try has another id. It is no decline of the buyer.
  const isOfBuyer = declined !== undefined && declineOfIssue(declined.issue) !== null
  const isDeclined = isOfBuyer && declined.since !== 'approved'
  switch (order.status) {
    case 'APPROVED':
    case 'CREATED':
    case 'SAVED':
    case 'PAYER_ACTION_REQUIRED': {
      if (isDeclined) return declinedFor(declined.issue)
      if (isCharge && order.status === 'PAYER_ACTION_REQUIRED') return declinedFor(order.status)
      // An order with a saved account needs no buyer. Until PayPal has taken the money, it may show such an order as CREATED.
      return { order: isCharge || order.status === 'APPROVED' ? 'approved' : 'waiting' }
    }
    case 'VOIDED':
    case 'COMPLETED':
      return ended(order, now, money)
  }
}

function ended({ status, purchase_units: [unit] }: Order, now: Date, { capturedMinor }: Money): Said {
  const { authorizations, captures } = unit.payments
  if (capturedMinor > 0) return { order: 'completed' }
  const pending = [...captures, ...authorizations].find((each) => each.status === 'PENDING')
  if (pending) {
    const { reason = '' } = pending.status_details ?? {}
    return {
      order: 'reached',
      isUnderWay: true,
      detail: WAITING[reason] ?? `PayPal says ${reason || 'PENDING'}`,
    }
  }
  const lapsed = authorizations.find((each) => hasLapsed(each, now))
  if (lapsed) return { order: 'voided', detail: `the authorization expired at ${lapsed.expiration_time}` }
  if (authorizations.some((each) => HELD.includes(each.status))) return { order: 'completed' }
  if (authorizations.some((each) => each.status === 'VOIDED')) return { order: 'voided' }
  const [refused] = [...captures, ...authorizations]
  if (refused) {
    const { category, decline, detail } = declineOfProcessor(refused.processor_response?.response_code)
    return { order: 'declined', detail, decline, declineCategory: category }
  }
  return { order: status === 'VOIDED' ? 'cancelled' : 'unclear' }
}

function declinedFor(issue: string): Said {
  const meaning = declineOfIssue(issue)
  if (!meaning) return { order: 'declined', detail: `PayPal refused the payment: ${issue}` }
  const { category, decline, detail } = meaning
  return { order: 'declined', detail, decline, declineCategory: category }
}

/** PayPal captures nothing of an authorization after its expiration time. */
function hasLapsed({ status, expiration_time }: Authorization, now: Date): boolean {
  return status === 'CREATED' && expiration_time !== undefined && new Date(expiration_time) <= now
}

function instrumentOf({ payment_source: source }: Order): Pick<Snapshot, 'instrument'> {
  if (source?.card) {
    const { brand, last_digits } = source.card
    return {
      instrument: {
        kind: 'card',
        ...(brand !== undefined && { brand: brand.toLowerCase() }),
        ...(last_digits !== undefined && { last4: last_digits.slice(-4) }),
      },
    }
  }
  if (source?.venmo) return { instrument: { kind: 'wallet', brand: 'venmo' } }
  return source?.paypal ? { instrument: { kind: 'wallet', brand: 'paypal' } } : {}
}
