/**
 * The one port of the design: what a driver is, what it is asked and what it may answer. No provider's word is here.
 * Law: a driver is a plain object; a capability is supported if its method exists, enabled if configuration says so.
 */
import type { CurrencyCode, Customer, Metadata } from '../contract/fields.ts'
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
  /** Where the provider tells us that something has happened to the order; it is asked then, never believed. */
  callbackUrl: string
  expiresAt: Date
  customer: Customer | null
  /** The merchant's own data; in sandbox mode `sandboxFault` in it summons a fault of the simulated bank. */
  metadata: Metadata | null
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
  /** Of refunds that the provider has taken on and not finished. */
  refundPendingMinor?: number
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

/** A money write: what is to be done with an order that is there. */
export type MoneyWrite = ProviderOrder & {
  /** Our operation's id: for providers that take a key. Never the merchant's. */
  key: string
  amountMinor: number
  currency: CurrencyCode
  reason: string | null
  /** What the provider said just before. */
  before: Snapshot
}

/**
 * What the provider answered to a write. None of it is believed: the order is looked up before anything of ours changes.
 * `refused`: the provider said no, and did nothing. `unknown`: the answer is lost; it may have acted.
 */
export type WriteResult =
  | { kind: 'done' | 'pending'; operationId?: string }
  | { kind: 'refused'; message: string }
  | { kind: 'unknown'; message: string }

/** A callback as it came in: nothing of it has been believed yet. */
export type RawCallback = { headers: Record<string, string>; body: Buffer }

/** `reference`: the order that the provider speaks of. `rejected`: it is not the provider's, and is answered 4xx. */
export type InboundEvent = { kind: 'hint'; reference: string } | { kind: 'rejected'; message: string }

export type Driver = {
  label: string
  currencies: readonly CurrencyCode[]
  liveCapable: boolean
  /** True when the checkout can be opened server to server while the payment is created. */
  supportsAutoinit: boolean
  /** Read-only. Absent for a provider that cannot be asked. */
  lookUp?(call: ProviderCall, order: ProviderOrder): Promise<LookUpResult>
  refund?(call: ProviderCall, write: MoneyWrite): Promise<WriteResult>
  /** `amountMinor` may be less than what is held: the rest is let go of. */
  capture?(call: ProviderCall, write: MoneyWrite): Promise<WriteResult>
  /** Gives up a hold, or takes back a payment that is not settled. */
  void?(call: ProviderCall, write: MoneyWrite): Promise<WriteResult>
  /**
   * True if the same write under the same `key` is done once, however often it is sent. Without it a write is sent once: if
   * its answer is lost, the order's amounts tell what came of it, or a person does.
   */
  keyedWrites?: true
  /** Reads what the provider sends by itself. */
  inbound?: { parse(call: ProviderCall, raw: RawCallback): InboundEvent }
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
