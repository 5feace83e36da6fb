/**
 * The one port of the design: what a driver is, what it is asked and what it may answer. No provider's word is here.
 * Law: a driver is a plain object; a capability is supported if its method exists, enabled if configuration says so.
 */
import type { CurrencyCode, Customer, Metadata } from '../contract/fields.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { SavedCard } from '../contract/payment-method-token.ts'
import type { SandboxBank } from './sandbox/simulator/bank.ts'
import type { SandboxCards } from './sandbox/simulator/cards.ts'

/** Everything outside that a driver can reach: it has no other way out, so it is deterministic under test. */
export type ProviderCall = {
  now(): Date
  /** This route's settings, as the driver's own schema parsed them. */
  settings: Record<string, unknown>
  /** The simulated bank, for the sandbox driver. */
  bank: SandboxBank
  /** Its saved cards. */
  cards: SandboxCards
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
  /** Of a failed charge of a saved method. Without it a failure is soft. */
  decline?: Decline
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

/** `hard`: this method will never pay again. `soft`: it may, another day. */
export type Decline = 'soft' | 'hard'

/** A buyer is to save a payment method on the provider's own page. Nothing is charged. */
export type MethodSaving = Pick<
  Attempt,
  'reference' | 'merchantName' | 'returnUrl' | 'expiresAt' | 'customer' | 'metadata'
>

/** Asked for again under the same reference, it may answer with another page: only a method that was saved counts. */
export type SavingResult = Extract<StartResult, { kind: 'redirect' | 'refused' | 'unknown' }>

/** What became of a saving. `state`: what the method is charged and given up with, once it is `active`. */
export type TokenLookUp =
  | {
      kind: 'found'
      status: 'pending' | 'active' | 'cancelled' | 'expired' | 'revoked'
      state?: unknown
      card?: SavedCard
    }
  | { kind: 'not_found' }
  | { kind: 'unavailable'; message: string }

/** A charge of a saved method while the buyer is away: an order of its own under `reference`. */
export type TokenCharge = Pick<
  Attempt,
  'reference' | 'amountMinor' | 'currency' | 'merchantName' | 'description' | 'callbackUrl' | 'metadata'
> & { token: ProviderOrder }

/** As WriteResult: none of it is believed before the order has been looked up under its reference. */
export type ChargeResult =
  | { kind: 'done' | 'pending' }
  | { kind: 'refused'; message: string; decline: Decline }
  | { kind: 'unknown'; message: string }

/** A callback as it came in: nothing of it has been believed yet. */
export type RawCallback = { headers: Record<string, string>; body: Buffer }

/** `reference`: the order that the provider speaks of. `rejected`: it is not the provider's, and is answered 4xx. */
export type InboundEvent = { kind: 'hint'; reference: string } | { kind: 'rejected'; message: string }

/** One thing that `check` found, in plain words for an operator. It names no secret. */
export type Finding = { ok: boolean; message: string }

export type Driver = {
  label: string
  /** The label of a route with these settings, where they make a difference that people should see. */
  labelOf?(settings: Record<string, unknown>): string
  currencies: readonly CurrencyCode[]
  liveCapable: boolean
  /** True when the checkout can be opened server to server while the payment is created. */
  supportsAutoinit: boolean
  /** The names of the settings that say which contract this is. The same values are the same account. */
  identity?: readonly string[]
  /** The names of the settings that are secret. They are stored sealed and never shown. */
  secrets?: readonly string[]
  /** Whether these credentials and addresses move test money or real money. Absent: the driver has no credentials. */
  modeOf?(settings: Record<string, unknown>): 'test' | 'live' | 'untellable'
  /** Asks the provider something harmless, and says what is right and what is wrong with the account. */
  check?(call: ProviderCall): Promise<Finding[]>
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
  saveToken?(call: ProviderCall, saving: MethodSaving): Promise<SavingResult>
  /** Read-only. */
  lookUpToken?(call: ProviderCall, token: ProviderOrder): Promise<TokenLookUp>
  /** Gives up a saved method, or the saving of one. Done again, it does no harm. */
  revokeToken?(call: ProviderCall, token: ProviderOrder): Promise<WriteResult>
  /** Sent once, whatever becomes of its answer. Needs `lookUp`, `lookUpToken` and `revokeToken`. */
  chargeToken?(call: ProviderCall, charge: TokenCharge): Promise<ChargeResult>
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
