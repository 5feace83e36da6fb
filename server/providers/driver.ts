/**
 * The one port of the design: what a driver is, what it is asked and what it may answer. No provider's word is here.
 * Law: a driver is a plain object; a capability is supported if its method exists, enabled if configuration says so.
 */
import type { CurrencyCode, Customer } from '../contract/fields.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { SandboxBank } from './simulators/bank.ts'

/** Everything outside that a driver can reach: it has no other way out, so it is deterministic under test. */
export type ProviderCall = {
  now(): Date
  /** This route's settings, as the driver's own schema parsed them. */
  settings: Record<string, unknown>
  /** The simulated bank, for the sandbox driver. */
  bank: SandboxBank
}

/** One attempt to be paid, as the provider is told of it. `reference` is ours: the same for every retry of this attempt. */
export type Attempt = {
  reference: string
  amountMinor: number
  currency: CurrencyCode
  merchantName: string
  description: string | null
  /** Where the provider sends the buyer back to: ours, never the merchant's. */
  returnUrl: string
  expiresAt: Date
  customer: Customer | null
}

/**
 * What came of opening a checkout.
 * `hosted`: there is nothing to open, our own page says all there is. `refused`: the provider said no, nothing exists.
 * `unknown`: the answer is lost; the order may exist, so it is looked up before anything is created again.
 */
export type StartResult =
  | Opened
  | { kind: 'hosted' }
  | { kind: 'refused'; message: string }
  | { kind: 'unknown'; message: string }

/** A checkout at the provider, and how the buyer gets there. */
export type Opened =
  | { kind: 'redirect'; url: string; state?: unknown; expiresAt?: Date }
  | { kind: 'form'; action: string; fields: Record<string, string>; state?: unknown; expiresAt?: Date }

/** How a driver finds its order again. `state` is what `startCheckout` answered; null if that answer was lost. */
export type ProviderOrder = { reference: string; state: unknown }

/** The provider's word on a payment, in our words. Amounts in minor units. */
export type Snapshot = {
  status: PaymentStatus
  reference: string
  amountMinor: number
  currency: CurrencyCode
  authorizedMinor: number
  capturedMinor: number
  refundedMinor: number
  detail?: string
}

/**
 * `opened`: how the buyer gets to the order that was found, from a provider that can say so. It matters when the answer to
 * `startCheckout` was lost: an order that is there is never opened a second time, so without this it is lost for the buyer.
 */
export type LookUpResult =
  | { kind: 'found'; snapshot: Snapshot; opened?: Opened }
  | { kind: 'not_found' }
  | { kind: 'unavailable'; message: string }

export type Driver = {
  label: string
  currencies: readonly CurrencyCode[]
  liveCapable: boolean
  /** True when the checkout can be opened server to server while the payment is created. */
  supportsAutoinit: boolean
  /** Read-only. Absent for a provider that cannot be asked. */
  lookUp?(call: ProviderCall, order: ProviderOrder): Promise<LookUpResult>
} & CheckoutStart

/** A provider is told of an order by us, or it hears of it from the buyer. */
type CheckoutStart =
  | {
      /** Called again for the same reference only if a look-up has said that there is no order. */
      startCheckout(call: ProviderCall, attempt: Attempt): Promise<StartResult>
      composeCheckout?: never
    }
  | {
      /** Asks nobody: the same attempt always gives the same checkout. So a creation has nothing to wait for. */
      composeCheckout(call: ProviderCall, attempt: Attempt): Opened | { kind: 'hosted' }
      startCheckout?: never
    }
