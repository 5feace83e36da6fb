/** An attempt as stored: one order at a provider, opened for a payment. */
import type { ProviderRoute } from '../../contract/fields.ts'
import { WORDS } from '../rows.ts'

/** `payments/attempts/attempt.ts` explains each state. The database has the same list in a check. */
export const ATTEMPT_STATES = WORDS.attempt_state
export type AttemptState = (typeof ATTEMPT_STATES)[number]

export type Attempt = {
  merchantId: string
  paymentId: string
  /** Counts the attempts of the payment, from 1. */
  number: number
  state: AttemptState
  provider: ProviderRoute
  /** The provider account that the attempt's money goes to. It never changes once the provider was told of the order. */
  accountId: string
  /** Our own reference at the provider. */
  reference: string
  /** The driver's own ids; nobody else reads them. */
  providerState: unknown
  checkoutUrl: string | null
  /** Where the provider wants a form posted instead of a link followed. */
  form: { action: string; fields: Record<string, string> } | null
  /** When its order was first to be opened. */
  begunAt: Date
  /** Until then somebody opens its order at the provider, and nobody else may. */
  leaseUntil: Date | null
  /** Until then an order may still appear, although the provider says that there is none. */
  mayAppearUntil: Date | null
  openedAt: Date | null
  /** When its order at the provider ends. */
  expiresAt: Date
  /** The sums of its entries, in minor units. */
  authorizedMinor: number
  capturedMinor: number
  refundedMinor: number
  /** What the buyer disputes of its money now. */
  disputedMinor: number
  /** What of its refunded sum a buyer has won in disputes. */
  disputeLostMinor: number
  /** Facts that people may see. Null until the provider has told something. */
  facts: unknown
  /** While the provider works on the payment of a buyer who has finished (a review, a bank debit): since when we know it. */
  underWaySince: Date | null
  /** When the provider is next asked about the attempt. Null if it is not asked any more. */
  questionDueAt: Date | null
  questionAttempts: number
  askedAt: Date | null
}

/** The column of each field. */
export const ATTEMPT_COLUMNS: Record<keyof Attempt, string> = {
  merchantId: 'merchant_id',
  paymentId: 'payment_id',
  number: 'number',
  state: 'state',
  provider: 'provider',
  accountId: 'account_id',
  reference: 'reference',
  providerState: 'provider_state',
  checkoutUrl: 'checkout_url',
  form: 'form',
  begunAt: 'created_at',
  leaseUntil: 'lease_until',
  mayAppearUntil: 'may_appear_until',
  openedAt: 'opened_at',
  expiresAt: 'expires_at',
  authorizedMinor: 'authorized_minor',
  capturedMinor: 'captured_minor',
  refundedMinor: 'refunded_minor',
  disputedMinor: 'disputed_minor',
  disputeLostMinor: 'dispute_lost_minor',
  facts: 'facts',
  underWaySince: 'under_way_since',
  questionDueAt: 'question_due_at',
  questionAttempts: 'question_attempts',
  askedAt: 'asked_at',
}

/** What names an attempt. */
export type NamedAttempt = Pick<Attempt, 'merchantId' | 'paymentId' | 'number'>
