/**
 * The one port of the design: what a driver is, what it is asked and what it may return. No provider, simulator or world is
 * named here.
 * Rule: a driver is a plain object. A capability is supported if its method exists, and enabled if the account's settings
 * allow it.
 */
import type { z } from 'zod'
import type { AmountBounds } from '../contract/capability.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import type { RouteMark } from '../contract/route-mark.ts'
import type { Finding } from './driver/finding.ts'
import type { Inbound } from './driver/inbound.ts'
import type { Keyed } from './driver/keyed.ts'
import type {
  CheckoutRequest,
  LookUpAnswer,
  Opened,
  OrderQuestion,
  ProviderOrder,
  StartResult,
} from './driver/order.ts'
import type { Refusal } from './driver/refusal.ts'
import type {
  ChargeResult,
  MethodSaving,
  Price,
  SavingResult,
  SavingReturn,
  TokenCharge,
  TokenLookUp,
} from './driver/saved-method.ts'
import type { Snapshot } from './driver/snapshot.ts'
import type { CallKind } from './driver/timeouts.ts'
import type { Transfer } from './driver/transfer.ts'
import type { Witness } from './driver/witness.ts'
import type { UnknownWord } from './driver/words.ts'
import type { AccountCache, ProviderHttp } from './http.ts'

export type { Finding, ProviderRight } from './driver/finding.ts'
export type { InboundEvent, InboundVerdict, OrderEvent, RawInbound, RawReply } from './driver/inbound.ts'
export type { Keyed, KeyedWrite } from './driver/keyed.ts'
export type {
  CheckoutRequest,
  LookUpAnswer,
  LookUpResult,
  Opened,
  OpenedBetween,
  ProviderOrder,
  StartResult,
} from './driver/order.ts'
export type {
  ChargeResult,
  MethodSaving,
  SavingMoney,
  SavingResult,
  SavingReturn,
  TokenCharge,
  TokenLookUp,
} from './driver/saved-method.ts'
export type { Decline, Dispute, Instrument, NamedRefund, Snapshot, Standing } from './driver/snapshot.ts'
export type { Transfer } from './driver/transfer.ts'

/** Everything outside that a driver can reach during one call. */
export type ProviderCall<Settings = Record<string, unknown>> = {
  /** The account's settings, as the driver's own schema parsed them. */
  settings: Settings
  /** `live`: it moves real money. `cache`: what the account keeps in memory between calls, such as an access token. */
  account: { id: string; live: boolean; cache: AccountCache }
  http: ProviderHttp
  now(): Date
  /** For the operator. `fields` hold no secret and no personal data. */
  log(level: 'info' | 'warn', message: string, fields?: Record<string, unknown>): void
  /** For a word of the provider that the driver's tables do not have, where no snapshot carries it. */
  noteWord?(word: UnknownWord): void
  /**
   * Stores what the order is found with before the call is over. For a call of several requests: its time may end, or its process, and then
   * nobody gets its answer.
   */
  keepState?(state: unknown): Promise<void>
  /** Watches the call while the account is recorded. Drivers do not use it. */
  witness?: Witness
}

/** A money write: what is to be done with an order that exists. */
export type MoneyWrite = ProviderOrder & {
  /** Our operation's id, for providers that accept a key. It is never the merchant's key. */
  key: string
  /**
   * How often the provider has refused the account at this write. A provider that repeats its answer for a request id needs another
   * id after each refusal. Absent: never.
   */
  refusedTimes?: number
  amountMinor: number
  currency: CurrencyCode
  reason: string | null
  /** The result of the last look-up. */
  before: Snapshot
}

/**
 * What the provider returned for a write. It proves nothing: the order is looked up before anything of ours changes.
 * `refused`: the provider rejected the write and did nothing. `refusal` says what this is about. `unknown`: the response is lost, and
 * the provider may have acted.
 * A driver throws an AccountRefusedError if the account is refused, and a RetryLaterError if the provider rejected the write only for
 * the moment. After any other error the outcome is unknown, unless its ProviderHttp has sent only reads. So it is too after those two
 * errors if they are about a request that followed a write which the provider has not refused.
 */
export type WriteResult =
  | { kind: 'done' | 'pending'; operationId?: string }
  | { kind: 'refused'; message: string; refusal: Refusal }
  | { kind: 'unknown'; message: string }

/** The writes that an operation of a merchant or an operator asks for. */
export type WriteName = 'refund' | 'capture' | 'void'

export type Driver<Settings = Record<string, unknown>> = {
  label: string
  /** The label of a route with these settings. Present if the settings make a difference that people should see. */
  labelOf?(settings: Record<string, unknown>): string
  /** The picture of the method that buyers see where they choose. Absent: none. */
  mark?: RouteMark
  currencies: readonly CurrencyCode[]
  /** The smallest and largest amounts that the provider documents. Absent for a currency: as much as a payment may carry. */
  amountBounds?: Partial<Record<CurrencyCode, Partial<AmountBounds>>>
  /** True if it can move real money. */
  liveCapable: boolean
  /** True when the checkout can be opened server to server while the payment is created. */
  supportsAutoinit: boolean
  /** Names are in capital letters, without the route. Every member has a description: the settings guide shows it. */
  settings: z.ZodObject & z.ZodType<Settings>
  /** The names of the settings that say which contract this is. The same values are the same account. */
  identity?: readonly string[]
  /** Returns what tells contracts apart in a value of these settings. Absent: the value as it is written. */
  plainIdentity?(value: string): string
  /** The names of the settings that are secret. They are stored sealed, never shown, and taken out of the exchange log. */
  secrets?: readonly string[]
  /** Whether these credentials and addresses move test money or real money. Absent: the driver has no credentials. */
  modeOf?(settings: Settings): 'test' | 'live' | 'untellable'
  /** The absolute addresses that the driver calls: the provider's own, or those of the settings. Absent: it calls nobody. */
  addresses?(settings: Settings): string[]
  /** Present if the buyer pays by a bank transfer of his own, and a person confirms it. */
  transfer?(settings: Settings): Transfer
  /**
   * The provider sends every buyer back to one address, which is set up there, and not to `returnUrl`. Our page at that address finds
   * the payment by the buyer's own cookie.
   */
  fixedReturn?: true
  /**
   * Where the protocol wants whole numbers as our references: the range from which these settings let us take them. Accounts with the
   * same `identity` share the numbers, so none is given out twice.
   */
  orderNumbers?(settings: Settings): { first: number; last: number }
  /** Read-only. Absent for a provider that cannot be asked: then only `inbound` can prove a payment. */
  lookUp?(call: ProviderCall<Settings>, order: OrderQuestion): Promise<LookUpAnswer>
  /**
   * The address of an order stands only in the answer that opens it, and opening is not keyed. If that answer was lost, no buyer can ever
   * come to the order. So it is left alone and asked about, and the next order of the payment opens at once.
   */
  addressShownOnce?: true
  /** The provider finds an order only by its own id: without the state, `lookUp` says nothing. */
  foundByStateOnly?: true
  /** How long the provider may take, in milliseconds, for the kinds of calls that need another limit than CALL_TIMEOUTS has. */
  timeouts?: Partial<Record<CallKind, number>>
  /**
   * Takes the money of an order whose buyer has approved, where approval is not payment yet (`order: 'approved'`).
   * `key`: one for each order, so that the provider acts once.
   */
  finalize?(call: ProviderCall<Settings>, order: ProviderOrder, key: string): Promise<WriteResult>
  /** Ends an order that nobody should pay any more. A repetition does no harm. */
  withdraw?(call: ProviderCall<Settings>, order: ProviderOrder): Promise<WriteResult>
  refund?(call: ProviderCall<Settings>, write: MoneyWrite): Promise<WriteResult>
  /** `amountMinor` may be less than the authorized amount. The rest is released. */
  capture?(call: ProviderCall<Settings>, write: MoneyWrite): Promise<WriteResult>
  /** Releases a hold, or takes back a payment that is not settled. */
  void?(call: ProviderCall<Settings>, write: MoneyWrite): Promise<WriteResult>
  /**
   * Which writes the provider does once under their key, with these settings, and for how long it knows a repetition. `finalize` must be
   * among them where the driver has it. Absent: none, so every write is sent only once.
   */
  keyed?(settings: Settings): Keyed
  /**
   * Returns why the provider would reject the write now, as far as the driver can tell before it is sent. Returns null if it
   * may be sent. `begunAt`: when we began to open the order.
   */
  eligible?(
    call: ProviderCall<Settings>,
    write: WriteName,
    order: ProviderOrder & { begunAt: Date; snapshot: Snapshot },
  ): string | null
  saveToken?(call: ProviderCall<Settings>, saving: MethodSaving): Promise<SavingResult>
  /** Read-only. */
  lookUpToken?(call: ProviderCall<Settings>, token: ProviderOrder): Promise<TokenLookUp>
  /** Removes a saved method, or ends the saving of one. A repetition does no harm. */
  revokeToken?(call: ProviderCall<Settings>, token: ProviderOrder): Promise<WriteResult>
  /** Sent once, also if its response is lost, unless `charge` is keyed. Needs `lookUp`, `lookUpToken` and `revokeToken`. */
  chargeToken?(call: ProviderCall<Settings>, charge: TokenCharge): Promise<ChargeResult>
  /**
   * Whether these settings let the provider call back, with callbacks that `inbound` can verify. Absent: it never does. Then, and
   * until a callback has arrived, the provider is asked more often. `always`: they come from this
   * process, so buyers are reported before a callback was seen.
   */
  callbacksSetUp?(settings: Settings): boolean | 'always'
  /**
   * The provider tells the results of these writes only in callbacks, as `result`, and `lookUp` does not show them. They are stored and
   * added to what it shows. The writes return `pending`.
   */
  resultsByCallback?: readonly ('refund' | 'capture')[]
  /** Reads what the provider sends on its own, and replies to it. */
  inbound?: Inbound<ProviderCall<Settings>, Settings>
  /**
   * Makes harmless requests that show whether the address and the credentials work, whether they are for test or live money as the
   * account says, what they may do, and whether the provider calls back at `callbackUrl`. `returnUrl`: with `fixedReturn`, where buyers
   * come back.
   */
  check?(
    call: ProviderCall<Settings>,
    given: { callbackUrl: string; returnUrl?: string | null },
  ): Promise<Finding[]>
  /**
   * Makes a harmless request, and returns whose credentials these are: the value that the first setting of `identity` should have.
   * @throws AccountRefusedError if the provider does not accept the credentials, or if they may not say it
   */
  identify?(call: ProviderCall<Settings>): Promise<string>
} & CheckoutStart<Settings> &
  SavingPayment<Settings>

/** Where a method is saved only by a real payment, the service gives that money back, whatever became of the saving. */
type SavingPayment<Settings> =
  | {
      /** What saving a method takes from it. Null: nothing, with these settings. */
      savingPrice(settings: Settings): Price | null
      /** Releases what is held, and refunds what is taken. Sent once, also if its response is lost, unless it is keyed. */
      finishSaving(call: ProviderCall<Settings>, saving: SavingReturn): Promise<WriteResult>
    }
  | { savingPrice?: never; finishSaving?: never }

/** Either we tell the provider of an order, or the buyer's browser does. */
type CheckoutStart<Settings> =
  | {
      /** Called again for the same reference only after a look-up has found no order, or if `start` is keyed. */
      startCheckout(call: ProviderCall<Settings>, attempt: CheckoutRequest): Promise<StartResult>
      composeCheckout?: never
    }
  | {
      /**
       * Sends no request, so it gets the settings alone. The same attempt always gives the same checkout, so a creation does not wait
       * for the provider.
       */
      composeCheckout(
        call: Pick<ProviderCall<Settings>, 'settings'>,
        attempt: CheckoutRequest,
      ): Opened | { kind: 'hosted' }
      startCheckout?: never
    }
