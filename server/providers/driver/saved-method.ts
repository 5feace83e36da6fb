/** A payment method that is saved at a provider: how it is saved, asked about, charged, and what saving it costs meanwhile. */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { SavedCard } from '../../contract/payment-method-token.ts'
import type { CheckoutRequest, ProviderOrder, StartResult } from './order.ts'
import type { Decline } from './snapshot.ts'

/** An amount in minor units. */
export type Price = { amountMinor: number; currency: CurrencyCode }

/**
 * A request to save a payment method. The buyer saves it on the provider's own page. `price`: what the buyer pays there, if the driver
 * has a `savingPrice`. Without it nothing is charged. `paymentReference`: part of the saving's id, so no other saving has it.
 */
export type MethodSaving = Pick<
  CheckoutRequest,
  | 'reference'
  | 'paymentReference'
  | 'merchantName'
  | 'language'
  | 'returnUrl'
  | 'callbackUrl'
  | 'expiresAt'
  | 'customer'
  | 'metadata'
> & {
  price?: Price
  /** After a restore: a page may have been opened for this reference before, and its buyer may still have the address. */
  mayBeHandedOut?: true
}

/** A repeated request under the same reference may return another page. Only a method that was saved counts. */
export type SavingResult = Extract<StartResult, { kind: 'redirect' | 'refused' | 'unknown' }>

/**
 * The money of a saving now, in minor units. `reference`: the provider's own name of the payment. `heldMinor`: held, and neither taken
 * nor released. `takenMinor`: all that was taken. `returnedMinor`: how much of that went back.
 */
export type SavingMoney = {
  reference: string
  currency: CurrencyCode
  heldMinor: number
  takenMinor: number
  returnedMinor: number
}

/** A request to give back all the money of a saving. `key` and `refusedTimes`: as in MoneyWrite. `before`: what the provider said just before. */
export type SavingReturn = ProviderOrder & { key: string; refusedTimes?: number; before: SavingMoney }

/**
 * How a saving ended. `state`: what the method is charged and revoked with, once it is `active`. `money`: of its real payment, whatever
 * the status. Absent: no money was ever held or taken.
 */
export type TokenLookUp =
  | {
      kind: 'found'
      status: 'pending' | 'active' | 'cancelled' | 'expired' | 'revoked'
      state?: unknown
      card?: SavedCard
      money?: SavingMoney
    }
  | { kind: 'not_found' }
  | { kind: 'unavailable'; message: string }

/**
 * A charge of a saved method without the buyer. It is an order of its own under `reference`. `state`: what an earlier call has kept, which
 * certainly took no money. Absent or null: nothing. `refusedTimes`: as in MoneyWrite.
 */
export type TokenCharge = Omit<CheckoutRequest, 'expiresAt' | 'language'> & {
  token: ProviderOrder
  state?: unknown
  refusedTimes?: number
}

/**
 * As in WriteResult, this proves nothing before the order has been looked up. `state`: what the look-up finds the order with.
 * `refused`: a decline of the saved method, or a refusal of this charge alone. A refusal of the account is an AccountRefusedError.
 */
export type ChargeResult =
  | { kind: 'done' | 'pending'; state?: unknown }
  | { kind: 'refused'; message: string; decline: Decline; state?: unknown }
  | { kind: 'unknown'; message: string; state?: unknown }
