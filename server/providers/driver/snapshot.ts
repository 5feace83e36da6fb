/** What a provider says about an order, in our words. */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { PaymentStatus } from '../../contract/payment.ts'

/** `hard`: this method will never pay again. `soft`: it may, another day. */
export type Decline = 'soft' | 'hard'

/** What the buyer paid with, as far as a person may see it. */
export type Instrument = {
  kind: 'card' | 'wallet' | 'bank_transfer' | 'other'
  brand?: string
  last4?: string
}

/** `answerBy`: an ISO time; until then evidence can be given. */
export type Dispute = { amountMinor: number; reason?: string; answerBy?: string }

/**
 * One refund of an order. `key`: ours, as the write carried it; absent for a refund that was not ours. `failed`: the money was not
 * returned, also if the refund was `done` before.
 */
export type NamedRefund = { key?: string; amountMinor: number; state: 'pending' | 'done' | 'failed' }

/** Amounts in minor units, times as ISO texts: a snapshot is stored as JSON. */
export type Snapshot = {
  status: PaymentStatus
  reference: string
  amountMinor: number
  currency: CurrencyCode
  authorizedMinor: number
  capturedMinor: number
  refundedMinor: number
  /** Of refunds that the provider has accepted and not finished. */
  refundPendingMinor?: number
  /** Every refund of the order, from a provider that names each by the key that we sent. The sums above count all the same. */
  refunds?: NamedRefund[]
  /** The buyer has approved, and nothing is taken or held before `finalize`. */
  needsFinalize?: boolean
  /** When the money was taken: what may still be voided often depends on it. */
  capturedAt?: string
  /** Of a failed charge of a saved method. Without it a failure is soft. */
  decline?: Decline
  /** What a buyer whose payment was declined should do. */
  declineCategory?: 'ask_another_card' | 'try_later' | 'ask_bank' | 'fraud' | 'technical'
  /** Why, in the provider's words or ours; without personal data. */
  detail?: string
  instrument?: Instrument
  providerTransactionId?: string
  /** The retrieval reference number of a card payment: what banks and buyers quote to each other. */
  rrn?: string
  approvalCode?: string
  feeMinor?: number
  dispute?: Dispute
}
