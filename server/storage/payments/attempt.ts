/** An attempt as stored: one order at a provider, opened for a payment. */
import { fieldsOf, type RecordOf } from '../fields.ts'
import { WORDS } from '../rows.ts'

/** `payments/attempts/attempt.ts` explains each state. The database has the same list in a check. */
export const ATTEMPT_STATES = WORDS.attempt_state
export type AttemptState = (typeof ATTEMPT_STATES)[number]

export const ATTEMPT_FIELDS = fieldsOf('attempts', [
  'merchantId',
  'paymentId',
  /** Counts the attempts of the payment, from 1. */
  'number',
  'state',
  'provider',
  /** The provider account that the attempt's money goes to. It never changes once a request about the order was sent. */
  'accountId',
  /** Our own reference at the provider. */
  'reference',
  /** The driver's own ids; nobody else reads them. */
  'providerState',
  'checkoutUrl',
  /** Where the provider wants a form posted instead of a link followed. */
  'form',
  /** When its order was first to be opened. */
  'createdAt as begunAt',
  /** Until then somebody opens its order at the provider, and nobody else may. */
  'leaseUntil',
  /** Until then an order may still appear, although the provider says that there is none. */
  'mayAppearUntil',
  'openedAt',
  /** When its order at the provider ends. */
  'expiresAt',
  /** The sums of its entries, in minor units. */
  'authorizedMinor',
  'capturedMinor',
  'refundedMinor',
  /** What the buyer disputes of its money now. */
  'disputedMinor',
  /** The part of its refunded sum that a buyer has won in disputes. */
  'disputeLostMinor',
  /** Facts that people may see. Null until the provider has told something. */
  'facts',
  /** While the provider works on the payment of a buyer who has finished (a review, a bank debit): since when we know it. */
  'underWaySince',
  /** When the provider is next asked about the attempt. Null if no question is planned. */
  'questionDueAt',
  'questionAttempts',
  'askedAt',
])
export type Attempt = RecordOf<
  'attempts',
  typeof ATTEMPT_FIELDS,
  { form: { action: string; fields: Record<string, string> } | null }
>

/** What names an attempt. */
export type NamedAttempt = Pick<Attempt, 'merchantId' | 'paymentId' | 'number'>
