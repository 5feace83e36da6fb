/**
 * PayPal's statuses and reasons, and what each means here. The driver reads them from these tables. A test holds
 * them against the official declarations. Source: the documents of Orders 2.13, Payments 2.5 and Disputes 1.10.
 */
import type { NamedRefund } from '../driver.ts'

/** `ended`: its payments say what became of it. */
export type OrderMeaning = 'waiting' | 'approved' | 'ended'
export const ORDER_WORDS: Readonly<Record<string, OrderMeaning>> = {
  CREATED: 'waiting',
  SAVED: 'waiting',
  PAYER_ACTION_REQUIRED: 'waiting',
  APPROVED: 'approved',
  VOIDED: 'ended',
  COMPLETED: 'ended',
}

/** `returned`: it was taken, and all of it was refunded. */
export type CaptureMeaning = 'taken' | 'returned' | 'pending' | 'refused'
export const CAPTURE_WORDS: Readonly<Record<string, CaptureMeaning>> = {
  COMPLETED: 'taken',
  PARTIALLY_REFUNDED: 'taken',
  REFUNDED: 'returned',
  PENDING: 'pending',
  DECLINED: 'refused',
  FAILED: 'refused',
}

/** `captured`: it is held, also if its money was taken. */
export type AuthorizationMeaning = 'held' | 'captured' | 'pending' | 'voided' | 'refused'
export const AUTHORIZATION_WORDS: Readonly<Record<string, AuthorizationMeaning>> = {
  CREATED: 'held',
  PARTIALLY_CAPTURED: 'captured',
  CAPTURED: 'captured',
  PENDING: 'pending',
  VOIDED: 'voided',
  DENIED: 'refused',
}

export const REFUND_WORDS: Readonly<Record<string, NamedRefund['state']>> = {
  COMPLETED: 'done',
  PENDING: 'pending',
  FAILED: 'failed',
  CANCELLED: 'failed',
}

/**
 * Why a capture or an authorization is PENDING, for people. `after`: the capture was COMPLETED before. Its money was taken, and is
 * disputed or returned now. `waitsElsewhere`: the buyer has to send the money.
 */
export type PendingReason = { detail: string; after?: 'disputed' | 'returned'; waitsElsewhere?: true }
export const PENDING_REASONS: Readonly<Record<string, PendingReason>> = {
  BUYER_COMPLAINT: { detail: 'the buyer has complained at PayPal', after: 'disputed' },
  CHARGEBACK: { detail: 'the buyer has taken the money back through the bank', after: 'disputed' },
  REFUNDED: { detail: 'the payment was refunded', after: 'returned' },
  ECHECK: { detail: 'the buyer pays from a bank account, which takes days' },
  INTERNATIONAL_WITHDRAWAL: { detail: 'accept or deny the payment in the PayPal account' },
  OTHER: { detail: 'PayPal gives no reason: look at the payment in the PayPal account' },
  PENDING_REVIEW: { detail: 'PayPal is reviewing the payment' },
  RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION: {
    detail: 'the PayPal account holds no balance in this currency: accept the payment at PayPal',
  },
  TRANSACTION_APPROVED_AWAITING_FUNDING: {
    detail: 'the buyer has to send the money, as by a bank transfer',
    waitsElsewhere: true,
  },
  UNILATERAL: { detail: "the shop's PayPal e-mail address is not confirmed" },
  VERIFICATION_REQUIRED: { detail: "the shop's PayPal account is not verified" },
}

/** Of a setup token: `approved` can be stored. The document of Vault 3 has no list. Source: Orders 2.13. */
export const SETUP_WORDS: Readonly<Record<string, 'waiting' | 'approved'>> = {
  CREATED: 'waiting',
  PAYER_ACTION_REQUIRED: 'waiting',
  APPROVED: 'approved',
  VAULTED: 'approved',
}

/** `over`: its outcome says who has the money. */
export const DISPUTE_WORDS: Readonly<Record<string, 'open' | 'over'>> = {
  OPEN: 'open',
  WAITING_FOR_BUYER_RESPONSE: 'open',
  WAITING_FOR_SELLER_RESPONSE: 'open',
  UNDER_REVIEW: 'open',
  OTHER: 'open',
  RESOLVED: 'over',
}
export const STAGE_WORDS: Readonly<Record<string, 'inquiry' | 'dispute'>> = {
  INQUIRY: 'inquiry',
  CHARGEBACK: 'dispute',
  PRE_ARBITRATION: 'dispute',
  ARBITRATION: 'dispute',
}
/** Who has the money: `lost` is the buyer. With a payout PayPal itself pays the buyer. */
export const OUTCOME_WORDS: Readonly<Record<string, 'lost' | 'kept' | 'open'>> = {
  RESOLVED_BUYER_FAVOUR: 'lost',
  ACCEPTED: 'lost',
  RESOLVED_SELLER_FAVOUR: 'kept',
  RESOLVED_WITH_PAYOUT: 'kept',
  CANCELED_BY_BUYER: 'kept',
  DENIED: 'kept',
  NONE: 'kept',
}
/** Only people read the reasons. */
export const DISPUTE_REASONS: Readonly<Record<string, true>> = {
  MERCHANDISE_OR_SERVICE_NOT_RECEIVED: true,
  MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: true,
  UNAUTHORISED: true,
  CREDIT_NOT_PROCESSED: true,
  DUPLICATE_TRANSACTION: true,
  INCORRECT_AMOUNT: true,
  PAYMENT_BY_OTHER_MEANS: true,
  CANCELED_RECURRING_BILLING: true,
  PROBLEM_WITH_REMITTANCE: true,
  OTHER: true,
}
