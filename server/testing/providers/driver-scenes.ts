/** Scenes of the conformance suite of drivers: calls over real HTTP, and orders in any state. */
import { createOutbound } from '../../outbound/outbound.ts'
import { foldResults } from '../../payments/attempts/write-results.ts'
import type {
  CheckoutRequest,
  Driver,
  KeyedWrite,
  Opened,
  ProviderCall,
  ProviderOrder,
  Snapshot,
} from '../../providers/driver.ts'
import { GATE_LIMITS } from '../../providers/http/gate.ts'
import {
  createProviderNetwork,
  type Exchange,
  noteUnwritten,
  type ProviderHttp,
  type ProviderRequest,
} from '../../providers/http.ts'
import type { WriteResultRecord } from '../../storage/payments/provider-orders.ts'
import type { DriverBench, DriverSimulator, SuiteFault } from './driver-bench.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'

const CALL_LIMIT_MS = 60_000
/** Longer than a normal response takes, and shorter than a slow one. */
const SHORT_LIMIT_MS = 500

export type Scenes<Settings> = Awaited<ReturnType<typeof startScenes<Settings>>>

type Variant = { credentials?: 'right' | 'wrong'; steps?: 'one' | 'two'; away?: boolean; isShort?: boolean }

const LIMIT_DIVISOR = 30
const AMOUNT_MINOR = 1_900
const NO_MONEY = { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
const NOBODY = 'http://127.0.0.1:9'

export async function startScenes<Settings>(bench: DriverBench<Settings>) {
  const { driver } = bench
  const simulator = await bench.start()
  const proxy: FaultProxy = await startFaultProxy(simulator.origin)
  const { late } = bench
  if (late) proxy.slowDown({ isMeant: late.isMeant, ms: (late.limitMs * 1.8) / LIMIT_DIVISOR })
  const exchanges: Exchange[] = []
  /** Requests that do not leave: their connection is refused. */
  const stopping: Stopping = { isMeant: null }
  const kept: Kept = { state: null }
  const call = callsOf(bench, { simulator, proxy, exchanges, stopping, kept })
  const attempt = attemptsOf(bench, simulator)

  const open = opensOf(bench, call)
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
  const withResults = resultsOf(bench, simulator, call)
  async function look(order: ProviderOrder, variant: Variant = {}): Promise<Snapshot> {
    const found = await call(async (each) => driver.lookUp?.(each, order), variant)
    if (found?.kind !== 'found' && found?.kind !== 'unpaid') throw new Error(`the order is ${found?.kind}`)
    if (found.state !== undefined) order.state = found.state
    if (found.kind === 'found') return withResults(found.snapshot)
    const amounts = { amountMinor: AMOUNT_MINOR, currency: driver.currencies[0] ?? 'AMD' }
    return { ...amounts, ...NO_MONEY, order: found.order, reference: order.reference }
  }
  return {
    bench,
    driver,
    simulator,
    proxy,
    exchanges,
    stopping,
    kept,
    call,
    attempt,
    open,
    paid,
    look,
    /** Creates a saved method that can be charged, or one that the provider will decline. */
    savedMethod: (does: 'save' | 'save_and_decline' = 'save') =>
      saveMethod({ driver, simulator, call }, attempt(), does),
    variantOf,
    isKeyed: (write: KeyedWrite) => isKeyed(bench, simulator, write),
    async close() {
      await proxy.close()
      await simulator.close()
    },
  }
}

function opensOf<Settings>({ driver }: DriverBench<Settings>, call: Call<Settings>) {
  return async (given: CheckoutRequest, variant: Variant = {}): Promise<Opened> => {
    const { composeCheckout, startCheckout } = driver
    const opened = await call(
      (each) => (composeCheckout ? composeCheckout(each, given) : startCheckout(each, given)),
      variant,
    )
    if (opened.kind !== 'redirect' && opened.kind !== 'form')
      throw new Error(`the checkout is ${opened.kind}`)
    return opened
  }
}

/** Returns what adds the results that come only in callbacks, as the core does. */
function resultsOf<Settings>(
  { driver: { resultsByCallback, inbound } }: DriverBench<Settings>,
  simulator: DriverSimulator<Settings>,
  call: Call<Settings>,
) {
  const results = new Map<string, WriteResultRecord[]>()
  return async (snapshot: Snapshot): Promise<Snapshot> => {
    if (!resultsByCallback || !inbound) return snapshot
    for (const raw of await simulator.callbacks()) {
      const event = await call((each) => inbound.receive(each, raw))
      if (event.kind !== 'result') continue
      const { reference, write, key = null, id: providerId = null, state, amountMinor } = event
      const known = results.get(reference) ?? []
      const name = providerId ?? key ?? ''
      const others = known.filter((one) => one.write !== write || one.name !== name)
      results.set(reference, [...others, { write, name, key, providerId, state, amountMinor }])
    }
    return foldResults(snapshot, results.get(snapshot.reference) ?? [], resultsByCallback)
  }
}

type Act<Settings, Answer> = (call: ProviderCall<Settings>) => Answer | Promise<Answer>
type Call<Settings> = <Answer>(act: Act<Settings, Answer>, variant?: Variant) => Promise<Answer>

export function isKeyed<Settings>(
  { driver }: DriverBench<Settings>,
  simulator: DriverSimulator<Settings>,
  write: KeyedWrite,
): boolean {
  const settings = simulator.settings(simulator.origin, { credentials: 'right', steps: 'one' })
  return driver.keyed?.(settings)[write] !== undefined
}

/** Returns what calls the driver under the suite's time limit. */
function callsOf<Settings>(
  { driver, late }: DriverBench<Settings>,
  {
    simulator,
    proxy,
    exchanges,
    stopping,
    kept,
  }: {
    simulator: DriverSimulator<Settings>
    proxy: FaultProxy
    exchanges: Exchange[]
    stopping: Stopping
    kept: Kept
  },
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
    kept.state = null
    const signal = AbortSignal.timeout(isShort ? SHORT_LIMIT_MS : CALL_LIMIT_MS)
    const own = network.open(account, signal, null)
    const http = withStopped(late ? withShortLimits(own) : own, stopping)
    const call: ProviderCall<Settings> = {
      settings,
      account: { id: account.id, live: false, cache: network.cacheOf({ id: JSON.stringify(settings) }) },
      http,
      now: simulator.now,
      async keepState(state) {
        kept.state = state
      },
      log: () => {},
    }
    try {
      return await act(call)
    } catch (error) {
      // As the core does.
      noteUnwritten(error, http)
      throw error
    }
  }
}

/** What the last call has kept of its order before it was over. */
type Kept = { state: unknown }
type Stopping = { isMeant: ((request: ProviderRequest) => boolean) | null }

/** The network counts what was sent before. */
function withStopped(http: ProviderHttp, stopping: Stopping): ProviderHttp {
  return {
    ...http,
    async request(request) {
      if (!stopping.isMeant?.(request)) return http.request(request)
      throw Object.assign(new Error('the connection was refused'), { onlyRead: !http.hasWritten() })
    },
  }
}

/** Divides the limit that a driver gives a request of its own. */
function withShortLimits(http: ProviderHttp): ProviderHttp {
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
    const range = driver.orderNumbers?.(settings)
    const reference = range ? String(range.first + orders - 1) : plain
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
    paymentReference: own.reference,
    amountMinor: AMOUNT_MINOR,
    merchantName: 'Teahouse',
    description: 'Mountain tea',
    language: 'ru',
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
