/**
 * The metrics room: what the service counts about itself, and nothing about whose it is.
 * Law: a label is one of a few fixed words. No merchant, payment or address is ever one.
 */
import type { ProviderRoute } from '../contract/fields.ts'
import type { PaymentStatus } from '../contract/payment.ts'

/** `delivered`: taken. `refused`: answered with another status. `failed`: no answer. */
export type DeliveryResult = 'delivered' | 'refused' | 'failed'

/** What became of a callback URL: `opened` and `paused` rest it, `closed` and `resumed` end the one and the other. */
export type ReceiverChange = 'opened' | 'paused' | 'closed' | 'resumed'

/** Each is called once, where the thing happens. Durations in seconds. */
export type Metrics = {
  answered(request: { endpoint: string; method: string; status: number; seconds: number }): void
  paymentCreated(route: ProviderRoute): void
  statusChanged(to: PaymentStatus, cause: string): void
  delivered(result: DeliveryResult, seconds: number): void
  receiverChanged(change: ReceiverChange): void
}

const nothing = () => {}

/** Where nobody asked for metrics. */
export const NO_METRICS: Metrics = {
  answered: nothing,
  paymentCreated: nothing,
  statusChanged: nothing,
  delivered: nothing,
  receiverChanged: nothing,
}
