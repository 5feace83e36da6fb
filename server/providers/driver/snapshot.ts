/** An order at a provider, in our words. */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { PaymentStatus } from '../../contract/payment.ts'

/** `hard`: this method can never pay again. `soft`: it may pay another day. */
export type Decline = 'soft' | 'hard'

/** What the buyer paid with, as far as people may see it. */
export type Instrument = {
  kind: 'card' | 'wallet' | 'bank_transfer' | 'other'
  brand?: string
  last4?: string
}

/** Open disputes of an order, or open inquiries, with their sum. `answerBy`: an ISO time, until which evidence can be sent. */
export type Dispute = { amountMinor: number; reason?: string; answerBy?: string }

/**
 * One refund of an order. `key`: ours, as the write carried it; absent for a refund that was not ours. `id`: the provider's own.
 * `failed`: the money was not returned, also if the refund was `done` before.
 */
export type NamedRefund = {
  key?: string
  id?: string
  amountMinor: number
  state: 'pending' | 'done' | 'failed'
}

/** Amounts in minor units, times as ISO texts: a snapshot is stored as JSON. */
export type Snapshot = {
  status: PaymentStatus
  reference: string
  amountMinor: number
  currency: CurrencyCode
  authorizedMinor: number
  capturedMinor: number
  /** What was refunded. What buyers won in disputes is not included. */
  refundedMinor: number
  /** What was refunded besides that, beyond what was captured. Drivers leave this to us. */
  overReturnedMinor?: number
  /** What buyers won in disputes, summed over all disputes that were decided for them. */
  disputeLostMinor?: number
  /** The sum of the refunds that the provider has accepted but not finished. */
  refundPendingMinor?: number
  /**
   * Every refund of the order, from a provider that reports each under the key that we sent. The sums above are valid all the
   * same.
   */
  refunds?: NamedRefund[]
  /** The buyer has approved, and nothing is taken or held before `finalize`. */
  needsFinalize?: boolean
  /** The buyer has finished, and the provider is still working on the payment: a review, or a bank debit that takes days. */
  isUnderWay?: true
  /** When the money was taken. Often this decides whether the payment can still be voided. */
  capturedAt?: string
  /** For a failed charge of a saved method. Without it the decline is soft. */
  decline?: Decline
  /** What a buyer whose payment was declined should do. */
  declineCategory?: 'ask_another_card' | 'try_later' | 'ask_bank' | 'fraud' | 'technical'
  /** The reason, in the provider's words or ours, without personal data. */
  detail?: string
  instrument?: Instrument
  providerTransactionId?: string
  /** The retrieval reference number of a card payment. Banks and buyers quote it. */
  rrn?: string
  approvalCode?: string
  feeMinor?: number
  /** The open disputes. Their status is `disputed`. Absent: if the order is disputed, it is all that was not returned. */
  dispute?: Dispute
  /**
   * The provider did not say whether the payment is disputed, so `status` knows nothing of disputes. `away`: it may say so later.
   * `denied`: it does not say so to this account.
   */
  disputesUnknown?: 'away' | 'denied'
  /** Questions of the buyer's bank that have moved no money. The payment is not disputed, and a person decides. */
  inquiry?: Dispute
}
