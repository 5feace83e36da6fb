/**
 * The payments room decides. It knows no HTTP, no SQL text and no wire format.
 * This file is the payment status table; the database repeats it (payment_transitions), and a test holds the two together.
 */
import type { PaymentStatus } from '../contract/payment.ts'
import type { Cause } from '../storage/payments/payment-changes.ts'

type StatusRow = {
  to: readonly PaymentStatus[]
  /** Moves from here need the provider's own verified word, or an operator's decision. */
  onProof?: true
  /** Money has not been decided on: the provider is asked until it is. */
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
  // A further partial refund is a change although the status keeps its name.
  partially_refunded: { to: ['partially_refunded', 'refunded', 'reversed', 'disputed'] },
  refunded: { to: ['disputed'] },
  reversed: { to: [] },
  disputed: { to: ['paid', 'partially_refunded', 'refunded', 'reversed'] },
  // Money that arrives late is never dropped.
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

/** Whether the table lets a payment move, for this cause. */
export function canMove(from: PaymentStatus, to: PaymentStatus, cause: Cause): boolean {
  const row: StatusRow = STATUS_TABLE[from]
  return row.to.includes(to) && (!row.onProof || PROOF.includes(cause))
}

/** Whether the provider still has to say what became of the money. */
export function isOpen(status: PaymentStatus): boolean {
  return 'open' in STATUS_TABLE[status]
}

/** Whether the end of its time ends it: an unclear outcome stays unclear, however late it is. */
export function canExpire(status: PaymentStatus): boolean {
  return isOpen(status) && status !== 'status_unknown'
}

/** Statuses that end an attempt: whoever wants to pay now needs a new one. */
export const OVER_UNPAID: readonly PaymentStatus[] = ['failed', 'cancelled', 'expired']

/** A change into these is the direct answer to the caller's own request, and sends no event. */
export const WITHOUT_EVENT: readonly PaymentStatus[] = ['created', 'pending_redirect']
