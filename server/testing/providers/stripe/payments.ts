/** What happens to money: an intent is confirmed, captured, cancelled, refunded or disputed. */
import type Stripe from 'stripe'
import { type Account, type Books, faultOf, later, secondsOf, sessionOf } from './books.ts'
import { type CardName, cardOf, type TestCard } from './cards.ts'
import { tell } from './events.ts'
import { newBooking, newDispute, newRefund } from './more-objects.ts'
import { newCharge } from './objects.ts'
import { impossible, invalid, refuse } from './refusal.ts'

export const DISPUTE_OPENS_MS = 20_000
export const DISPUTE_LASTS_MS = 60_000
const REFUND_FAILS_MS = 20_000
/** An authorization that nobody captures expires. */
export const HOLD_MS = 7 * 86_400_000

/** Stripe's fee, as in many of its price lists. */
const feeOf = (amount: number) => Math.round(amount * 0.029) + 30

/** The card accepted: the money is authorized or captured. */
export function succeed(books: Books, account: Account, intent: Stripe.PaymentIntent, card: TestCard): void {
  const charge = newCharge(books, intent, card, {})
  account.charges.set(charge.id, charge)
  Object.assign(intent, {
    latest_charge: charge.id,
    last_payment_error: null,
    next_action: null,
    processing: null,
  })
  if (intent.capture_method === 'manual') {
    Object.assign(intent, { status: 'requires_capture', amount_capturable: intent.amount })
    tell(books, account, 'payment_intent.amount_capturable_updated', intent)
    later(books, account, HOLD_MS, () => {
      if (intent.status === 'requires_capture') cancelIntent(books, account, intent, 'automatic')
    })
    return
  }
  const isShort = faultOf(account, sessionOf(account, intent.id)?.id ?? null) === 'underpaid'
  take(books, account, intent, isShort ? Math.floor(intent.amount / 2) : intent.amount)
}

/** Captures the money. What was authorized beyond it is released. */
function take(books: Books, account: Account, intent: Stripe.PaymentIntent, amount: number): void {
  const charge = chargeOf(account, intent)
  const booking = newBooking(books, { ...charge, amount }, feeOf(amount))
  account.bookings.set(booking.id, booking)
  Object.assign(charge, { captured: true, amount_captured: amount, balance_transaction: booking.id })
  Object.assign(intent, { status: 'succeeded', amount_received: amount, amount_capturable: 0 })
  const session = sessionOf(account, intent.id)
  if (session) session.payment_status = 'paid'
  tell(books, account, 'payment_intent.succeeded', intent)
  const fault = faultOf(account, session?.id ?? null)
  if (fault === 'dispute_won' || fault === 'dispute_lost' || fault === 'inquiry')
    later(books, account, DISPUTE_OPENS_MS, () => openDispute(books, account, charge, fault))
  if (fault === 'dispute_part_lost')
    later(books, account, DISPUTE_OPENS_MS, () =>
      openDispute(books, account, charge, 'dispute_lost', Math.ceil(amount / 2)),
    )
}

/** A charge can have several disputes. */
export function openDispute(
  books: Books,
  account: Account,
  charge: Stripe.Charge,
  fault: 'dispute_won' | 'dispute_lost' | 'inquiry',
  amount = charge.amount_captured,
): void {
  const isInquiry = fault === 'inquiry'
  const dispute = newDispute(books, charge, isInquiry ? 'warning_needs_response' : 'needs_response')
  dispute.amount = amount
  account.disputes.set(dispute.id, dispute)
  if (!isInquiry) moveForDispute(books, dispute, -amount)
  charge.disputed = true
  tell(books, account, 'charge.dispute.created', dispute)
  later(books, account, DISPUTE_LASTS_MS, () => {
    dispute.status = isInquiry ? 'warning_closed' : fault === 'dispute_won' ? 'won' : 'lost'
    if (fault === 'dispute_won') moveForDispute(books, dispute, amount)
    tell(books, account, 'charge.dispute.closed', dispute)
  })
}

/** Stripe withdraws the money of a dispute at once, and gives it back if the shop wins. Its fee is no part of the amount. */
export function moveForDispute(books: Books, dispute: Stripe.Dispute, amount: number): void {
  const booking = newBooking(
    books,
    { id: dispute.id, amount, currency: dispute.currency },
    amount < 0 ? 1_500 : 0,
  )
  dispute.balance_transactions.push({
    ...booking,
    reporting_category: amount < 0 ? 'dispute' : 'dispute_reversal',
    type: 'adjustment',
  })
}

/** The card declined. @returns the error as the intent stores it */
export function decline(
  books: Books,
  account: Account,
  intent: Stripe.PaymentIntent,
  cardName: CardName,
  { code, declineCode }: { code: string; declineCode: string | null },
): Stripe.PaymentIntent.LastPaymentError {
  const charge = newCharge(books, intent, cardOf(cardName), {
    status: 'failed',
    paid: false,
    failure_code: code,
  })
  account.charges.set(charge.id, charge)
  const error: Stripe.PaymentIntent.LastPaymentError = {
    type: 'card_error',
    code,
    charge: charge.id,
    message: 'Your card was declined.',
    ...(declineCode !== null && { decline_code: declineCode }),
  }
  Object.assign(intent, {
    status: 'requires_payment_method',
    latest_charge: charge.id,
    last_payment_error: error,
    next_action: null,
    payment_method: null,
  })
  tell(books, account, 'payment_intent.payment_failed', intent)
  return error
}

/** @throws Refused */
export function captureIntent(
  books: Books,
  account: Account,
  intent: Stripe.PaymentIntent,
  amount: number,
): void {
  if (intent.status !== 'requires_capture')
    throw impossible(
      'payment_intent_unexpected_state',
      `This PaymentIntent could not be captured: ${intent.status}`,
    )
  if (amount < 1) throw invalid('parameter_invalid_integer', 'amount_to_capture', 'Invalid positive integer')
  if (amount > intent.amount_capturable)
    throw impossible('amount_too_large', 'The amount is greater than the amount that can be captured')
  take(books, account, intent, amount)
}

/** @throws Refused */
export function cancelIntent(
  books: Books,
  account: Account,
  intent: Stripe.PaymentIntent,
  reason: Stripe.PaymentIntent.CancellationReason | null,
): void {
  const cancelable = [
    'requires_payment_method',
    'requires_capture',
    'requires_confirmation',
    'requires_action',
  ]
  const session = sessionOf(account, intent.id)
  if (!cancelable.includes(intent.status) || (session && intent.status !== 'requires_capture'))
    throw impossible(
      'payment_intent_unexpected_state',
      `You cannot cancel this PaymentIntent: ${intent.status}`,
    )
  if (intent.status === 'requires_capture') {
    const charge = chargeOf(account, intent)
    const release = newRefund(books, charge, { amount: charge.amount, reason: 'expired_uncaptured_charge' })
    account.refunds.set(release.id, release)
    Object.assign(charge, { refunded: true, amount_refunded: charge.amount })
  }
  const canceledAt = secondsOf(books.now())
  Object.assign(intent, {
    status: 'canceled',
    amount_capturable: 0,
    canceled_at: canceledAt,
    cancellation_reason: reason,
  })
  tell(books, account, 'payment_intent.canceled', intent)
}

/** @throws Refused */
export function refundIntent(
  books: Books,
  account: Account,
  intent: Stripe.PaymentIntent,
  { amount, metadata }: { amount: number | undefined; metadata: Record<string, string> },
): Stripe.Refund {
  if (intent.status !== 'succeeded')
    throw impossible('charge_not_refundable', 'This PaymentIntent has no successful charge')
  const charge = chargeOf(account, intent)
  if (charge.disputed && isUndecided(account, charge))
    throw impossible('charge_disputed', 'Charge has been charged back')
  const left = charge.amount_captured - charge.amount_refunded - lostOf(account, charge)
  if (left <= 0) throw impossible('charge_already_refunded', 'Charge has already been refunded.')
  const wanted = amount ?? left
  if (wanted < 1) throw invalid('parameter_invalid_integer', 'amount', 'Invalid positive integer')
  if (wanted > left)
    throw refuse(
      400,
      {
        type: 'invalid_request_error',
        message: `Refund amount (${wanted}) is greater than unrefunded amount on charge (${left})`,
        param: 'amount',
      },
      true,
    )
  return giveBack(books, account, charge, { amount: wanted, metadata })
}

function isUndecided(account: Account, charge: Stripe.Charge): boolean {
  return [...account.disputes.values()].some(
    ({ charge: of, status }) =>
      of === charge.id && !['won', 'lost'].includes(status) && !status.startsWith('warning_'),
  )
}

/** The sum of the disputes that the buyer won. */
function lostOf(account: Account, charge: Stripe.Charge): number {
  return [...account.disputes.values()]
    .filter(({ charge: of, status }) => of === charge.id && status === 'lost')
    .reduce((sum, { amount }) => sum + amount, 0)
}

function giveBack(
  books: Books,
  account: Account,
  charge: Stripe.Charge,
  { amount, metadata }: { amount: number; metadata: Record<string, string> },
): Stripe.Refund {
  const session = sessionOf(account, String(charge.payment_intent))
  const fault = faultOf(account, session?.id ?? null)
  const isPending = fault === 'refund_fails_later' || fault === 'refund_pending'
  const changesLater = isPending || fault === 'refund_fails_after_success'
  const refund = newRefund(books, charge, { amount, metadata, status: isPending ? 'pending' : 'succeeded' })
  account.refunds.set(refund.id, refund)
  const booked = (sum: number) =>
    Object.assign(charge, { amount_refunded: sum, refunded: sum === charge.amount_captured })
  booked(charge.amount_refunded + amount)
  const settle = () => {
    const booking = newBooking(books, { id: refund.id, amount: -amount, currency: charge.currency }, 0)
    account.bookings.set(booking.id, booking)
    Object.assign(refund, { status: 'succeeded', balance_transaction: booking.id })
  }
  if (!isPending) settle()
  tell(books, account, 'charge.refunded', charge)
  if (changesLater)
    later(books, account, REFUND_FAILS_MS, () => {
      if (fault === 'refund_pending') settle()
      else {
        Object.assign(refund, { status: 'failed', failure_reason: 'expired_or_canceled_card' })
        booked(charge.amount_refunded - amount)
      }
      tell(books, account, fault === 'refund_pending' ? 'refund.updated' : 'refund.failed', refund)
    })
  return refund
}

function chargeOf(account: Account, intent: Stripe.PaymentIntent): Stripe.Charge {
  const charge = account.charges.get(String(intent.latest_charge))
  if (!charge) throw new Error(`the intent ${intent.id} has no charge`)
  return charge
}
