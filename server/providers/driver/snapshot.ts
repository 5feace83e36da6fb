/**
 * An order at a provider, in our words. An answer has four parts: how the order stands, which money has moved, whether money is under
 * way, and how sure the provider is (`unclear`, `disputesUnknown`). A driver knows no payment status: the core derives it from these.
 */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { UnknownWord } from './words.ts'

/**
 * How the order stands. No word says which money is there, because the sums say that.
 * `waiting`: nobody has chosen how to pay. `reached`: a buyer is there, and nothing is held or taken yet. `approved`: the buyer has
 * approved, and nothing is held or taken before `finalize`. `completed`: the order has brought money, also if it was given back since.
 * `voided`: a hold was released, or captured money was taken back other than by refunds. Its sums may be zero. `unclear`: the provider
 * does not know, or its word is not known to the driver.
 */
export type Standing =
  | 'waiting'
  | 'reached'
  | 'approved'
  | 'completed'
  | 'voided'
  | 'declined'
  | 'cancelled'
  | 'expired'
  | 'unclear'

/** `hard`: this method can never pay again. `soft`: it may pay another day. */
export type Decline = 'soft' | 'hard'

/** What the buyer paid with, as far as people may see it. */
export type Instrument = {
  kind: 'card' | 'wallet' | 'bank_transfer' | 'other'
  brand?: string
  last4?: string
}

/**
 * Open disputes of an order, or open inquiries, with their sum. It may be larger than what is left of the money: a provider that names
 * no amount disputes everything. `answerBy`: an ISO time, until which evidence can be sent.
 */
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
  order: Standing
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
  /** Captures of the order, named as refunds are. Drivers leave this to us. */
  captures?: NamedRefund[]
  /**
   * The buyer of an order that is `reached` has finished, and the provider is still working: a review, or a bank debit. A charge of a
   * saved method has no buyer, so while it is `reached` the provider is working on it in any case.
   */
  isUnderWay?: true
  /** An order under way waits for the buyer elsewhere, who has a voucher or instructions of the provider to pay with. */
  waitsElsewhere?: true
  /**
   * The buyer has approved, and the provider has not let us take the money yet: it refuses the account, or did not take the request.
   * Then it is under way too. Drivers leave this to us.
   */
  approvalStands?: true
  /** When the money was held. At some banks a hold can be released only for the rest of that day. */
  heldAt?: string
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
  /** The open disputes. While there is one, it counts more than how the order stands. */
  dispute?: Dispute
  /**
   * The provider did not say whether the payment is disputed, so `dispute` is absent in any case. `away`: it may say so later.
   * `denied`: it does not say so to this account.
   */
  disputesUnknown?: 'away' | 'denied'
  /** Questions of the buyer's bank that have moved no money. The payment is not disputed, and a person decides. */
  inquiry?: Dispute
  /**
   * What disputes returned to buyers in another currency than the payment's. It cannot be compared with the payment's sums, so it stays
   * outside them.
   */
  lostElsewhere?: { currency: CurrencyCode; amountMinor: number }[]
  /** What a person has to look at, of a dispute that cannot be compared with the payment: whole sentences. */
  doubts?: string[]
  /** The words of the answer that the driver does not know. */
  unknownWords?: UnknownWord[]
}
