/**
 * The payments room decides everything about payments. It contains no HTTP, no SQL and no provider's wire format.
 * This file is the table of payment statuses. The database has the same table (payment_transitions), and a test compares the two.
 */
import type { PaymentStatus } from '../contract/payment.ts'
import type { Attempt } from '../storage/payments/attempt.ts'
import type { Payment } from '../storage/payments/payment.ts'
import type { Cause } from '../storage/payments/payment-changes.ts'

type StatusRow = {
  to: readonly PaymentStatus[]
  /** A change from this status needs the provider's verified answer or an operator's decision. */
  onProof?: true
  /** Only the provider's verified answer changes this status to these: nobody else can know that money came back after all. */
  byProvider?: readonly PaymentStatus[]
  /** The outcome is not known yet, so the provider is asked again. */
  open?: true
}

export const STATUS_TABLE = {
  created: {
    to: [
      'pending_redirect',
      'pending_payment',
      'authorized',
      'paid',
      'failed',
      'cancelled',
      'expired',
      'status_unknown',
    ],
    open: true,
  },
  pending_redirect: {
    to: ['pending_payment', 'authorized', 'paid', 'failed', 'cancelled', 'expired', 'status_unknown'],
    open: true,
  },
  pending_payment: {
    to: ['authorized', 'paid', 'failed', 'cancelled', 'expired', 'status_unknown'],
    open: true,
  },
  authorized: { to: ['paid', 'reversed', 'failed', 'status_unknown'] },
  paid: { to: ['partially_refunded', 'refunded', 'reversed', 'disputed'] },
  // Another partial refund counts as a change, although the status stays the same.
  partially_refunded: {
    to: ['partially_refunded', 'refunded', 'reversed', 'disputed', 'paid'],
    byProvider: ['paid'],
  },
  // A refund can fail at the provider after it succeeded.
  refunded: { to: ['disputed', 'partially_refunded', 'paid'], byProvider: ['partially_refunded', 'paid'] },
  reversed: { to: ['paid', 'refunded', 'disputed'], byProvider: ['paid', 'refunded', 'disputed'] },
  // A refund can complete or fail while the rest is disputed.
  disputed: { to: ['disputed', 'paid', 'partially_refunded', 'refunded', 'reversed'] },
  // Money can arrive after the payment ended, and must then be recorded.
  failed: { to: ['authorized', 'paid'], onProof: true },
  cancelled: { to: ['authorized', 'paid'], onProof: true },
  expired: { to: ['authorized', 'paid'], onProof: true },
  status_unknown: {
    // Again, with other sums.
    to: [
      'status_unknown',
      'pending_payment',
      'authorized',
      'paid',
      'failed',
      'cancelled',
      'reversed',
      'partially_refunded',
      'refunded',
      'expired',
      'disputed',
    ],
    onProof: true,
    open: true,
  },
} as const satisfies Record<PaymentStatus, StatusRow>

const PROOF: readonly Cause[] = ['provider', 'operation', 'operator']

/** Returns whether the table allows this status change for this cause. */
export function canMove(from: PaymentStatus, to: PaymentStatus, cause: Cause): boolean {
  const row: StatusRow = STATUS_TABLE[from]
  if (!row.to.includes(to) || (row.onProof && !PROOF.includes(cause))) return false
  return cause === 'provider' || !row.byProvider?.includes(to)
}

export type Sums = Pick<Payment, 'authorizedMinor' | 'capturedMinor' | 'refundedMinor'>

export function sameSums(one: Sums, other: Sums): boolean {
  return (
    one.authorizedMinor === other.authorizedMinor &&
    one.capturedMinor === other.capturedMinor &&
    one.refundedMinor === other.refundedMinor
  )
}

/** A returned sum that falls leaves the payment in one of these. */
const WITH_RETURNS: readonly PaymentStatus[] = ['paid', 'partially_refunded', 'disputed']

/**
 * A payment's sums rise. They fall only in these ways: the provider says that a refund failed after all, a hold or a capture is
 * given up (`reversed`, `failed`), or the outcome was unknown. Returns which sum would fall in another way; null if none would.
 */
export function findUnnamedFall(
  before: Sums & Pick<Payment, 'status'>,
  { to, cause, ...after }: Sums & { to: PaymentStatus; cause: Cause },
): string | null {
  if (before.status === 'status_unknown') return null
  const mayRefundFail = cause === 'provider' && WITH_RETURNS.includes(to)
  if (after.refundedMinor < before.refundedMinor && !mayRefundFail) return 'refunded'
  if (after.capturedMinor < before.capturedMinor && to !== 'reversed') return 'captured'
  const isGivenUp = to === 'reversed' || to === 'failed'
  return after.authorizedMinor < before.authorizedMinor && !isGivenUp ? 'authorized' : null
}

/** Returns whether money was taken. If the outcome is unknown, only a person can decide whether the money is the payment's. */
export function isTaken({ status, capturedMinor }: Pick<Payment, 'status' | 'capturedMinor'>): boolean {
  return capturedMinor > 0 && status !== 'status_unknown'
}

/** Returns what the buyer disputes now. If nobody says how much that is, it is everything that was not returned. */
export function disputedOf({
  status,
  capturedMinor,
  refundedMinor,
  attempt,
}: Pick<Payment, 'status' | 'capturedMinor' | 'refundedMinor'> & {
  attempt: Pick<Attempt, 'disputedMinor'>
}): number {
  if (status !== 'disputed') return 0
  return attempt.disputedMinor || capturedMinor - refundedMinor
}

/** Returns whether the payment's outcome is not known yet. */
export function isOpen(status: PaymentStatus): boolean {
  return 'open' in STATUS_TABLE[status]
}

/** Returns whether a payment in this status expires. A payment with an unknown outcome never expires. */
export function canExpire(status: PaymentStatus): boolean {
  return isOpen(status) && status !== 'status_unknown'
}

/** The payment ended without money. A buyer who still wants to pay needs a new payment. */
export const OVER_UNPAID: readonly PaymentStatus[] = ['failed', 'cancelled', 'expired']

/** A change to these statuses sends no event, because the caller learns of it from the response to its own request. */
export const WITHOUT_EVENT: readonly PaymentStatus[] = ['created', 'pending_redirect']
