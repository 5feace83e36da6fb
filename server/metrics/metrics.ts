/**
 * The metrics room: what the service counts about its own work.
 * Rule: every label has a small set of values. A label never names a merchant, a payment or an address. Accounts are named, up to a
 * fixed number of them.
 */
import type { ProviderRoute } from '../contract/fields.ts'
import type { PaymentStatus } from '../contract/payment.ts'

/** `delivered`: the receiver returned 2xx. `refused`: it returned another status. `failed`: it did not answer. */
export const DELIVERY_RESULTS = ['delivered', 'refused', 'failed'] as const
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number]

/**
 * `accepted`: the mail server has accepted the mail. `refused`: it rejects the mail for good. `failed`: the mail is retried, or
 * given up. `withheld`: the limit of mails an hour was reached.
 */
export const MAIL_RESULTS = ['accepted', 'refused', 'failed', 'withheld'] as const
export type MailResult = (typeof MAIL_RESULTS)[number]

/**
 * Changes of a receiver's health. `opened`: after some failures, deliveries wait for a while. `closed` ends that. `paused`:
 * after long failure only one event an hour is sent. `resumed` ends that.
 */
export const RECEIVER_CHANGES = ['opened', 'paused', 'closed', 'resumed'] as const
export type ReceiverChange = (typeof RECEIVER_CHANGES)[number]

/** Requests to an account's provider are stopped after failures (`open`), and allowed again after a success (`closed`). */
export const BREAKER_STATES = ['open', 'closed'] as const
export type BreakerState = (typeof BREAKER_STATES)[number]

/**
 * `answered`: the provider's response has any status but these. `denied`: it is 401 or 403, so the account's credentials may be wrong.
 * `failed`: it is a 5xx, it was too long, or there was none.
 */
export type ProviderResult = 'answered' | 'denied' | 'failed'

export const DECLINE_RESULTS = ['declined', 'held_back'] as const
export type DeclineResult = (typeof DECLINE_RESULTS)[number]

/** Each method is called once, where the event happens. Durations are in seconds. */
export type Metrics = {
  answered(request: { endpoint: string; method: string; status: number; seconds: number }): void
  paymentCreated(route: ProviderRoute): void
  statusChanged(to: PaymentStatus, cause: string): void
  refundUndone(): void
  wrongMode(): void
  /** An order of a buyer was declined, or held back because of too many declines. */
  declined(result: DeclineResult): void
  delivered(result: DeliveryResult, seconds: number): void
  receiverChanged(change: ReceiverChange): void
  breakerChanged(state: BreakerState): void
  /** One request to the provider of an account. */
  providerRequested(account: string, result: ProviderResult, seconds: number): void
  mailed(result: MailResult): void
}

const doNothing = () => {}

/** Counts nothing. Used when METRICS_PORT is not set. */
export const NO_METRICS: Metrics = {
  answered: doNothing,
  paymentCreated: doNothing,
  statusChanged: doNothing,
  refundUndone: doNothing,
  wrongMode: doNothing,
  declined: doNothing,
  delivered: doNothing,
  receiverChanged: doNothing,
  breakerChanged: doNothing,
  providerRequested: doNothing,
  mailed: doNothing,
}
