/**
 * Stripe's statuses and reasons, and what each means here. The driver reads them from these tables. A test holds
 * them against the official declarations.
 */
import type { Standing } from '../driver.ts'

/**
 * How an order stands by its session and its payment intent. `reached+`: the buyer has finished, and Stripe is still working on it or
 * waits for the buyer elsewhere, for a voucher or a bank account. `open`, `complete`, `expired`: the session. `charge`: there is no
 * session, because a saved method is charged. `none`: there is no payment intent.
 * Source: the declarations of the package. A session is `complete` once its buyer has finished there; the money may come days later.
 */
type IntentStandings = Record<'open' | 'complete' | 'expired' | 'charge', Standing | 'reached+'>

export const INTENT_WORDS: Readonly<Record<string, IntentStandings>> = {
  none: { open: 'waiting', complete: 'reached+', expired: 'expired', charge: 'unclear' },
  // With an error of the payment, see `standingOf`: a card was declined on the open page, or a voucher or debit has failed.
  requires_payment_method: { open: 'waiting', complete: 'reached+', expired: 'expired', charge: 'declined' },
  requires_confirmation: { open: 'reached', complete: 'reached+', expired: 'reached', charge: 'reached' },
  requires_action: { open: 'reached', complete: 'reached+', expired: 'reached', charge: 'reached' },
  processing: { open: 'reached', complete: 'reached+', expired: 'reached+', charge: 'reached+' },
  requires_capture: { open: 'completed', complete: 'completed', expired: 'completed', charge: 'completed' },
  succeeded: { open: 'completed', complete: 'completed', expired: 'completed', charge: 'completed' },
  // A hold that was released is `voided`.
  canceled: { open: 'cancelled', complete: 'cancelled', expired: 'expired', charge: 'cancelled' },
}

export const SESSION_WORDS = { open: 'open', complete: 'complete', expired: 'expired' } as const
/** Whether the session's money is there. `no_payment_required` is a session for saving a card, or one over nothing. */
export const PAID_WORDS = { paid: true, unpaid: false, no_payment_required: false } as const

/** `inquiry`: the bank only asks, and no money has moved. `over`: it ended and took no money. */
export type DisputeMeaning = 'open' | 'inquiry' | 'over' | 'won' | 'lost'
export const DISPUTE_WORDS: Readonly<Record<string, DisputeMeaning>> = {
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'over',
  needs_response: 'open',
  under_review: 'open',
  appeal_needs_response: 'open',
  appeal_under_review: 'open',
  won: 'won',
  lost: 'lost',
  // The bank and Stripe have returned the money at once, so that no chargeback was opened. There is no refund for it.
  prevented: 'lost',
  // Of older versions of the API. The money went back by a refund, which is in the list of refunds.
  charge_refunded: 'over',
}

/** Only people read the reasons. Source: the declarations, and Stripe's page *Dispute reason codes*. */
export const DISPUTE_REASONS: Readonly<Record<string, true>> = {
  bank_cannot_process: true,
  check_returned: true,
  credit_not_processed: true,
  customer_initiated: true,
  debit_not_authorized: true,
  duplicate: true,
  fraudulent: true,
  general: true,
  incorrect_account_details: true,
  insufficient_funds: true,
  noncompliant: true,
  product_not_received: true,
  product_unacceptable: true,
  subscription_canceled: true,
  unrecognized: true,
}

/** `release`: money that was only held is released. Stripe lists it as a refund. */
export const REFUND_WORDS: Readonly<Record<string, 'done' | 'pending' | 'failed'>> = {
  pending: 'pending',
  requires_action: 'pending',
  succeeded: 'done',
  failed: 'failed',
  canceled: 'failed',
}
export const REFUND_REASONS: Readonly<Record<string, 'refund' | 'release'>> = {
  duplicate: 'refund',
  fraudulent: 'refund',
  requested_by_customer: 'refund',
  expired_uncaptured_charge: 'release',
  // Of some versions of the API: the rest of a hold after a capture of a part.
  partial_capture: 'release',
}

export const CHARGE_WORDS: Readonly<Record<string, 'succeeded' | 'pending' | 'failed'>> = {
  succeeded: 'succeeded',
  pending: 'pending',
  failed: 'failed',
}

export const SETUP_WORDS: Readonly<Record<string, 'saved' | 'waiting'>> = {
  requires_payment_method: 'waiting',
  requires_confirmation: 'waiting',
  requires_action: 'waiting',
  processing: 'waiting',
  canceled: 'waiting',
  succeeded: 'saved',
}

/** Whether a saved method can be charged by the buyer's consent. A consent that is `pending` becomes active. */
export const MANDATE_WORDS: Readonly<Record<string, 'valid' | 'ended'>> = {
  active: 'valid',
  pending: 'valid',
  inactive: 'ended',
}
