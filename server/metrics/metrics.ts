/**
 * The metrics room: what the service counts about its own work.
 * Rule: every label has a small, fixed set of values. A label never names a merchant, a payment or an address.
 */
import type { ProviderRoute } from '../contract/fields.ts'
import type { PaymentStatus } from '../contract/payment.ts'

/** `delivered`: the receiver returned 2xx. `refused`: it returned another status. `failed`: it did not answer. */
export type DeliveryResult = 'delivered' | 'refused' | 'failed'

/**
 * `accepted`: the mail server has accepted the mail. `refused`: it rejects the mail for good. `failed`: the mail is retried, or
 * given up. `withheld`: the limit of mails an hour was reached.
 */
export type MailResult = 'accepted' | 'refused' | 'failed' | 'withheld'

/**
 * Changes of a receiver's health. `opened`: after some failures, deliveries wait for a while. `closed` ends that. `paused`:
 * after long failure only one event an hour is sent. `resumed` ends that.
 */
export type ReceiverChange = 'opened' | 'paused' | 'closed' | 'resumed'

/** Each method is called once, where the event happens. Durations are in seconds. */
export type Metrics = {
  answered(request: { endpoint: string; method: string; status: number; seconds: number }): void
  paymentCreated(route: ProviderRoute): void
  statusChanged(to: PaymentStatus, cause: string): void
  refundUndone(): void
  wrongMode(): void
  delivered(result: DeliveryResult, seconds: number): void
  receiverChanged(change: ReceiverChange): void
  /** Requests to an account's provider are stopped after failures, and allowed again after a success. */
  breakerChanged(state: 'open' | 'closed'): void
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
  delivered: doNothing,
  receiverChanged: doNothing,
  breakerChanged: doNothing,
  mailed: doNothing,
}
