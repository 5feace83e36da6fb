/**
 * The payments room decides everything about payments. It contains no HTTP, no SQL and no provider's wire format.
 * This file is the table of payment statuses. The database has the same table (payment_transitions), and a test compares the two.
 */
import type { PaymentStatus } from '../contract/payment.ts'
import type { Cause } from '../storage/payments/payment-changes.ts'

type StatusRow = {
  to: readonly PaymentStatus[]
  /** A change from this status needs the provider's verified answer or an operator's decision. */
  onProof?: true
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
  partially_refunded: { to: ['partially_refunded', 'refunded', 'reversed', 'disputed'] },
  refunded: { to: ['disputed'] },
  reversed: { to: [] },
  disputed: { to: ['paid', 'partially_refunded', 'refunded', 'reversed'] },
  // Money can arrive after the payment ended, and must then be recorded.
  failed: { to: ['authorized', 'paid'], onProof: true },
  cancelled: { to: ['authorized', 'paid'], onProof: true },
  expired: { to: ['authorized', 'paid'], onProof: true },
  status_unknown: {
    to: [
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
  return row.to.includes(to) && (!row.onProof || PROOF.includes(cause))
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
