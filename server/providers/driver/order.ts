/** An order at a provider: how it is described, opened and found again. */
import type { CurrencyCode, Customer, Metadata } from '../../contract/fields.ts'
import type { Language } from '../../contract/languages.ts'
import type { Refusal } from './refusal.ts'
import type { Snapshot, Standing } from './snapshot.ts'
import type { UnknownWord } from './words.ts'

/**
 * One attempt to be paid, as it is described to the provider. `reference` is ours. It is the same for every retry of this
 * attempt.
 */
export type CheckoutRequest = {
  reference: string
  /**
   * The shop's own number of the order, by which people look for it at the provider. Several attempts and several payments may have
   * the same one. It is the same for every retry.
   */
  orderReference: string
  /**
   * Ours too, and part of the payment's id. Several attempts of one payment have the same one, and it is the same if an older backup is
   * restored and the merchant repeats the request. Where `reference` is a number, send it in a field that the provider returns.
   */
  paymentReference: string
  amountMinor: number
  currency: CurrencyCode
  merchantName: string
  description: string | null
  /** In which language the buyer reads the provider's page. Null: nobody knows. */
  language: Language | null
  /** Our address, to which the provider sends the buyer back. It is never the merchant's. */
  returnUrl: string
  /** The address to which the provider sends callbacks about the order. */
  callbackUrl: string
  expiresAt: Date
  customer: Customer | null
  /** The merchant's own data. */
  metadata: Metadata | null
}

/**
 * The result of opening a checkout.
 * `hosted`: there is nothing to open, because our own page shows everything. `refused`: the provider rejected it, a
 * repetition does not help, and no order exists. `message` is for the operator.
 * `unknown`: the response is lost. The order may exist, so it is looked up before anything is created again. `state`: what it is
 * found with, if the provider has named an order.
 */
export type StartResult =
  | Opened
  | { kind: 'hosted' }
  | { kind: 'refused'; message: string; refusal: Refusal }
  | { kind: 'unknown'; message: string; state?: unknown }

/** A checkout at the provider, and how the buyer gets there. `state`: what the driver needs to find the order again. */
export type Opened =
  | { kind: 'redirect'; url: string; state?: unknown; expiresAt?: Date }
  | { kind: 'form'; action: string; fields: Record<string, string>; state?: unknown; expiresAt?: Date }

/**
 * How a driver finds its order again. `state`: what the driver last returned for it. It is null if that response was lost. `opened`:
 * the order was opened after this time, and before the other one, if it was opened at all. Absent: nobody knows when.
 * `paymentReference`: as it was described. An order that the provider has for another one is not ours. Absent: nobody knows.
 */
export type ProviderOrder = {
  reference: string
  state: unknown
  opened?: OpenedBetween
  paymentReference?: string
}
export type OpenedBetween = { after: Date; before: Date }

/**
 * `isBuyerBack`: the question is asked because a browser came back from the provider. It proves nothing, but where a provider does
 * not show a second approval, it is a reason to finalize once more.
 */
export type OrderQuestion = ProviderOrder & { isBuyerBack?: boolean }

/**
 * `opened`: how the buyer gets to the order that was found, from a provider that returns it. It is needed when the response to
 * `startCheckout` was lost. An order that exists is never opened a second time, so without `opened` the buyer cannot reach it.
 * `state`: replaces the stored state, for example when a payment's own id is known only now.
 * `isLost`: the provider does not know an order whose id it has told us, and it forgets none. That is no verdict on the payment: the
 * account may be another one. A person learns of it.
 * `isTaken`: the provider has this reference for something else, as a `NotOursError` says.
 */
export type LookUpResult =
  | { kind: 'found'; snapshot: Snapshot; opened?: Opened; state?: unknown }
  | { kind: 'not_found' }
  | { kind: 'unavailable'; message: string; isLost?: true; isTaken?: true }

/**
 * What a driver may return of a question. `unpaid`: the provider knows the order and says no more than how it stands, as long as nobody
 * has paid. So the order's own amount and currency hold. An answer that shows money always has a snapshot.
 */
export type LookUpAnswer =
  | LookUpResult
  | { kind: 'unpaid'; order: UnpaidStanding; opened?: Opened; state?: unknown; unknownWords?: UnknownWord[] }
type UnpaidStanding = Extract<Standing, 'waiting' | 'reached' | 'declined' | 'cancelled' | 'expired'>
