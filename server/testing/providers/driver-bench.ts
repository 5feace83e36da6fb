/** Helpers of the conformance suite of drivers: calls over real HTTP, orders in any state, and the table of results. */
import { createOutbound } from '../../outbound/outbound.ts'
import type {
  CheckoutRequest,
  Driver,
  Opened,
  ProviderCall,
  ProviderOrder,
  ProviderRight,
  RawInbound,
  Snapshot,
} from '../../providers/driver.ts'
import { GATE_LIMITS } from '../../providers/http/gate.ts'
import { createProviderNetwork, type Exchange, type ProviderHttp } from '../../providers/http.ts'
import { type FaultProxy, startFaultProxy, TRANSPORT_FAULTS } from './fault-proxy.ts'

/** `away`: nothing listens at the address. */
export const FAULTS = ['none', ...TRANSPORT_FAULTS, 'away', 'wrong_credentials'] as const
export type SuiteFault = (typeof FAULTS)[number]

const CALL_LIMIT_MS = 10_000
/** Longer than a normal response takes, and shorter than a slow one. */
const SHORT_LIMIT_MS = 500

/** The faults that a test can cause for one order. */
export type CausedFault =
  | 'wrong_amount'
  | 'wrong_currency'
  | 'late_paid'
  | 'refund_fails_later'
  | 'refund_fails_after_success'
  | 'underpaid'
  | 'expires_early'
  | 'disputed'
  | 'duplicate_callback'
  | 'reversed_callbacks'

/** Why a provider refuses for good: a right is missing, the account is not activated, or it takes no such amount. */
export type RefusedCause = ProviderRight | 'account' | 'amount'

/**
 * `side_calls`: reads that an answer can do without. `callbacks`: the provider calls back. `refused_rights`: each operation has a right of
 * its own. `refused_account`: an account may be there and not activated. `proof`: the provider cannot be asked, and proves payments.
 * `lost_address`: a request opens the order, so its answer can be lost. `several_results`: one callback tells of several orders.
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
  | 'side_calls'
  | 'callbacks'
  | 'under_way'
  | 'look_up'

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
  /** Returns how often this saved method was charged. */
  charges(token: ProviderOrder): Promise<number>
  /** The POST requests of the calls that move money. The first that fits counts. */
  writes: readonly { call: MoneyCall; path: RegExp; body?: RegExp }[]
  /** What it has sent to the callback address since the last time, in the order in which it arrived. */
  callbacks(): Promise<RawInbound[]>
  /** How an attempt causes this fault. Null: the protocol or the simulator does not have it. */
  causeFault(what: CausedFault): Partial<CheckoutRequest> | null
  /** Makes the provider refuse for this reason until the next call. Returns what an attempt needs for it. Null: nothing is refused. */
  causeRefusal?(cause: RefusedCause | null): Partial<CheckoutRequest>
  /** What one callback about several orders looks like. */
  callbackAbout?(references: string[]): RawInbound
  /** The provider reports another payment of a paid order, or sends its first report again. */
  confirmAgain?(reference: string, what: 'another_payment' | 'repeated'): Promise<void>
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
  /** What the protocol or the simulator does not have, and why: a sentence for whoever reads the table of results. */
  without?: Partial<Record<Lacking, string>>
}

export type Cell = { row: string; column: string; result: 'green' | 'red' | 'not in the protocol' }

export type Scenes<Settings> = Awaited<ReturnType<typeof startScenes<Settings>>>

type Variant = { credentials?: 'right' | 'wrong'; steps?: 'one' | 'two'; away?: boolean; isShort?: boolean }

const LIMIT_DIVISOR = 30
const AMOUNT_MINOR = 1_900
const NOBODY = 'http://127.0.0.1:9'

export async function startScenes<Settings>(bench: DriverBench<Settings>) {
  const { driver } = bench
  const simulator = await bench.start()
  const proxy: FaultProxy = await startFaultProxy(simulator.origin)
  const { late } = bench
  if (late) proxy.slowDown({ isMeant: late.isMeant, ms: (late.limitMs * 1.8) / LIMIT_DIVISOR })
  const exchanges: Exchange[] = []
  const call = callsOf(bench, { simulator, proxy, exchanges })
  const attempt = attemptsOf(bench, simulator)

  async function open(given: CheckoutRequest, variant: Variant = {}): Promise<Opened> {
    const { composeCheckout, startCheckout } = driver
    const opened = await call(
      (each) => (composeCheckout ? composeCheckout(each, given) : startCheckout(each, given)),
      variant,
    )
    if (opened.kind !== 'redirect' && opened.kind !== 'form')
      throw new Error(`the checkout is ${opened.kind}`)
    return opened
  }
  /** Creates an order that is paid, or authorized with `steps: 'two'`. */
  async function paid(variant: Variant = {}, changes: Partial<CheckoutRequest> = {}): Promise<PaidOrder> {
    const given = attempt(changes)
    const opened = await open(given, variant)
    await simulator.buyer(opened, 'pay')
    const order = { reference: given.reference, state: opened.state ?? null }
    // The look-up may bring a new state, which the writes that follow need.
    const before = await look(order, variant)
    return { ...order, attempt: given, before }
  }
  async function look(order: ProviderOrder, variant: Variant = {}): Promise<Snapshot> {
    const found = await call(async (each) => driver.lookUp?.(each, order), variant)
    if (found?.kind !== 'found') throw new Error(`the order is ${found?.kind}`)
    if (found.state !== undefined) order.state = found.state
    return found.snapshot
  }
  return {
    bench,
    driver,
    simulator,
    proxy,
    exchanges,
    call,
    attempt,
    open,
    paid,
    look,
    /** Creates a saved method that can be charged, or one that the provider will decline. */
    savedMethod: (does: 'save' | 'save_and_decline' = 'save') =>
      saveMethod({ driver, simulator, call }, attempt(), does),
    variantOf,
    async close() {
      await proxy.close()
      await simulator.close()
    },
  }
}

type Act<Settings, Answer> = (call: ProviderCall<Settings>) => Answer | Promise<Answer>
type Call<Settings> = <Answer>(act: Act<Settings, Answer>, variant?: Variant) => Promise<Answer>

/** Returns what calls the driver under the suite's time limit. */
function callsOf<Settings>(
  { driver, late }: DriverBench<Settings>,
  {
    simulator,
    proxy,
    exchanges,
  }: { simulator: DriverSimulator<Settings>; proxy: FaultProxy; exchanges: Exchange[] },
): Call<Settings> {
  const network = createProviderNetwork({
    outbound: createOutbound(['loopback'], { anyPort: true }),
    record: (exchange) => exchanges.push(exchange),
    onBreaker: () => {},
    // Failures that the suite causes must not open the breaker.
    limits: {
      ...GATE_LIMITS,
      failures: 1_000,
      fewFailures: 1_000,
      failingMs: 1_000,
      openMs: 1,
      openMaxMs: 1,
    },
  })
  return async (act, { credentials = 'right', steps = 'one', away = false, isShort = false } = {}) => {
    const settings = simulator.settings(away ? NOBODY : proxy.url, { credentials, steps })
    const account = { id: 'acc_test_suite', addresses: driver.addresses?.(settings) ?? [], secrets: [] }
    const signal = AbortSignal.timeout(isShort ? SHORT_LIMIT_MS : CALL_LIMIT_MS)
    return act({
      settings,
      account: { id: account.id, live: false, cache: network.cacheOf({ id: JSON.stringify(settings) }) },
      http: late ? hurried(network.open(account, signal, null)) : network.open(account, signal, null),
      now: simulator.now,
      log: () => {},
    })
  }
}

/** Divides the limit that a driver gives a request of its own. */
function hurried(http: ProviderHttp): ProviderHttp {
  return {
    ...http,
    request: ({ timeoutMs, ...request }) =>
      http.request({ ...request, ...(timeoutMs && { timeoutMs: timeoutMs / LIMIT_DIVISOR }) }),
  }
}

function attemptsOf<Settings>({ driver }: DriverBench<Settings>, simulator: DriverSimulator<Settings>) {
  let orders = 0
  const settings = simulator.settings(simulator.origin, { credentials: 'right', steps: 'one' })
  return (changes: Partial<CheckoutRequest> = {}) => {
    const plain = `suite${String(++orders).padStart(21, '0')}`
    const reference = driver.allocateReference?.(orders, settings) ?? plain
    return newAttempt({ reference, currency: driver.currencies[0] ?? 'AMD' }, simulator.now(), changes)
  }
}

function newAttempt(
  own: Pick<CheckoutRequest, 'reference' | 'currency'>,
  now: Date,
  changes: Partial<CheckoutRequest>,
): CheckoutRequest {
  return {
    ...own,
    orderReference: 'order-7',
    amountMinor: AMOUNT_MINOR,
    merchantName: 'Teahouse',
    description: 'Mountain tea',
    returnUrl: 'https://kassa.example/return',
    callbackUrl: 'https://kassa.example/callbacks/acc_test_suite',
    expiresAt: new Date(now.getTime() + 90 * 60_000),
    customer: null,
    metadata: null,
    ...changes,
  }
}

async function saveMethod<Settings>(
  {
    driver,
    simulator,
    call,
  }: { driver: Driver<Settings>; simulator: DriverSimulator<Settings>; call: Call<Settings> },
  given: CheckoutRequest,
  does: 'save' | 'save_and_decline',
): Promise<ProviderOrder> {
  const { reference } = given
  const opened = await call(async (each) => driver.saveToken?.(each, given))
  if (opened?.kind !== 'redirect') throw new Error(`the saving is ${opened?.kind}`)
  await simulator.saver(opened, does)
  const order = { reference, state: opened.state ?? null }
  const found = await call(async (each) => driver.lookUpToken?.(each, order))
  if (found?.kind !== 'found' || found.status !== 'active') throw new Error('the method is not active')
  return { reference, state: found.state ?? null }
}

export type PaidOrder = ProviderOrder & { attempt: CheckoutRequest; before: Snapshot }

/** Returns the account for a call with this fault. */
function variantOf(fault: SuiteFault): Variant {
  if (fault === 'away') return { away: true }
  if (fault === 'slow') return { isShort: true }
  return fault === 'wrong_credentials' ? { credentials: 'wrong' } : {}
}

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
