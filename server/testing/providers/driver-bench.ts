/** What the conformance suite of drivers needs of a driver and of its simulator, and the table of its results. */
import type {
  CheckoutRequest,
  Driver,
  Opened,
  ProviderOrder,
  ProviderRight,
  RawInbound,
} from '../../providers/driver.ts'
import { TRANSPORT_FAULTS } from './fault-proxy.ts'

/** `away`: nothing listens at the address. */
export const FAULTS = ['none', ...TRANSPORT_FAULTS, 'away', 'wrong_credentials'] as const
export type SuiteFault = (typeof FAULTS)[number]

/** The faults that a test can cause for one order. */
export type CausedFault =
  | 'wrong_amount'
  | 'wrong_currency'
  | 'late_paid'
  | 'waits_elsewhere'
  | 'refund_fails_later'
  | 'refund_fails_after_success'
  | 'underpaid'
  | 'expires_early'
  | 'disputed'
  | 'duplicate_callback'
  | 'reversed_callbacks'

/** Why a provider refuses for good: a right is missing, the account is not activated, or it does not accept the amount. */
export type RefusedCause = ProviderRight | 'account' | 'amount'

/**
 * `side_calls`: reads that an answer can do without. `callbacks`: the provider calls back. `refused_rights`: each operation has a right of
 * its own. `refused_account`: an account may be there and not activated. `proof`: the provider cannot be asked, and proves payments.
 * `lost_address`: a request opens the order, so its answer can be lost. `several_results`: one callback tells of several orders.
 * `language`: its page has languages that a request can name.
 */
export type Lacking =
  | CausedFault
  | 'refused_account'
  | 'refused_amount'
  | 'refused_rights'
  | 'proof'
  | 'lost_address'
  | 'several_results'
  | 'signed_callbacks'
  | 'not_found'
  | 'saved_card'
  | 'language'
  | 'side_calls'
  | 'callbacks'
  | 'under_way'
  | 'look_up'

/** The calls whose answer says something about the account. */
export const REFUSED_CALLS = [
  'startCheckout',
  'lookUp',
  'finalize',
  'withdraw',
  'refund',
  'capture',
  'void',
  'saveToken',
  'lookUpToken',
  'chargeToken',
  'revokeToken',
] as const
export type RefusedCall = (typeof REFUSED_CALLS)[number]

/** The calls of a driver that move money, or open what can move it. */
export const MONEY_CALLS = ['startCheckout', 'finalize', 'refund', 'capture', 'void', 'chargeToken'] as const
export type MoneyCall = (typeof MONEY_CALLS)[number]

/** The provider's own record of what has our reference. `orders`: how many orders a buyer was or could be charged for. */
export type Books = {
  orders: number
  authorizedMinor: number
  capturedMinor: number
  refundedMinor: number
  isReversed: boolean
}

export type DriverSimulator<Settings> = {
  /** The origin of its API. The proxy forwards to it. */
  origin: string
  /** Settings of an account whose requests go to `origin`. */
  settings(origin: string, variant: { credentials: 'right' | 'wrong'; steps: 'one' | 'two' }): Settings
  now(): Date
  /** Moves the clock, and runs everything that the provider does by itself until then. */
  advance(ms: number): Promise<void>
  buyer(opened: Opened, does: 'pay' | 'decline' | 'cancel' | 'approve'): Promise<void>
  /** Makes the buyer's choice on the provider's page where cards are saved. */
  saver(opened: Opened, does: 'save' | 'save_and_decline' | 'cancel'): Promise<void>
  books(reference: string): Promise<Books>
  /** The language that was sent to the provider for the page of this order, in its own form. Null: none was sent. */
  language?(reference: string, opened: Opened): Promise<string | null>
  /** From now on the provider does not know this order. */
  forget(reference: string): Promise<void>
  /** Returns how often this saved method was charged. */
  charges(token: ProviderOrder): Promise<number>
  /** The POST requests of the calls that move money. The first that fits counts. */
  writes: readonly { call: MoneyCall; path: RegExp; body?: RegExp }[]
  /** For a call that sends several requests: the path of the request that moves the money. */
  moneyPaths?: Partial<Record<MoneyCall, RegExp>>
  /** What it has sent to the callback address since the last time, in the order in which it arrived. */
  callbacks(): Promise<RawInbound[]>
  /** How an attempt causes this fault. Null: the protocol or the simulator does not have it. */
  causeFault(what: CausedFault): Partial<CheckoutRequest> | null
  /**
   * Makes the provider refuse for this reason until the next call. Returns what an attempt needs for it. Null: nothing is refused.
   * `at`: the call that it refuses because of the account; by default a new order.
   */
  causeRefusal?(cause: RefusedCause | null, at?: RefusedCall): Partial<CheckoutRequest>
  /** What one callback about several orders looks like. */
  callbackAbout?(references: string[]): RawInbound
  /** The provider reports another payment of a paid order, or sends its first report again. */
  confirmAgain?(reference: string, what: 'another_payment' | 'repeated'): Promise<void>
  /** The provider's staff set up the addresses of one account there, where no request names them. Absent: requests do. */
  setUp?(addresses: { callbackUrl: string; returnUrl: string }): void
  /** How late the money of `late_paid` is, and how long a refund or an early expiry takes, at most. */
  laterMs: number
  close(): Promise<void>
}

export type DriverBench<Settings> = {
  driver: Driver<Settings>
  start(): Promise<DriverSimulator<Settings>>
  /**
   * Requests that the provider answers too late: by 1.8 times the limit that the driver gives them. To save time, the suite divides
   * such a limit by LIMIT_DIVISOR.
   */
  late?: { isMeant: (method: string, path: string) => boolean; limitMs: number }
  /** Texts of the buyer and of the account that its responses contain, and that nobody may log. */
  planted?: readonly string[]
  /** What the protocol or the simulator does not have, and why: a sentence for readers of the table of results. */
  without?: Partial<Record<Lacking, string>>
}

export type Cell = { row: string; column: string; result: 'green' | 'red' | 'not in the protocol' }

/** Returns one line for each row, followed by its cells. */
export function table(cells: Cell[]): string {
  const rows = [...new Set(cells.map(({ row }) => row))]
  const lines = rows.map((row) => {
    const own = cells.filter((cell) => cell.row === row)
    const absent = own.every(({ result }) => result === 'not in the protocol')
    if (absent) return `  ${row}: not in the protocol`
    return `  ${row}: ${own.map(({ column, result }) => `${column} ${result === 'not in the protocol' ? '-' : result}`).join(', ')}`
  })
  return lines.join('\n')
}
