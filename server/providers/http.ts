/**
 * Sends the HTTP requests of drivers. A driver has no other way to reach its provider. Every request has a time limit and a size
 * limit, may go only to the addresses of the account, uses the account's own breaker and concurrency limit, and is logged.
 * Rule: a request is sent once, on a connection of its own. Only the core decides whether anything is sent again.
 */
import type { Outbound } from '../outbound/outbound.ts'
import { type ClientTls, reasonOf, type WireAnswer, wasLate, wasSent } from '../outbound/wire.ts'
import { type AccountCache, createAccountCache } from './http/cache.ts'
import { type Exchange, exchangeOf } from './http/exchange.ts'
import type { BreakerChange, Gate, GateLimits } from './http/gate.ts'
import { createGate, GATE_LIMITS } from './http/gate.ts'
import { type GateLane, unsent } from './http/slots.ts'

export type { AccountCache } from './http/cache.ts'
export type { Exchange } from './http/exchange.ts'
export type { GateLane } from './http/slots.ts'

const TIMEOUT_MS = 15_000
const RESPONSE_BYTES_MAX = 1_000_000
const UNREACHABLE_STATUSES = [502, 503, 504]

export type ProviderRequest = {
  method: string
  /** An absolute URL. Its origin must be that of one of the account's addresses. */
  url: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** True for a request that changes nothing at the provider. GET and HEAD requests never do. */
  isRead?: boolean
  /**
   * True for a request that changes something at the provider and moves no money, such as the registration that a charge needs first. It
   * does not count as a write: if the requests after it were certainly not sent, the call has done nothing, and is made again as a whole.
   */
  movesNoMoney?: boolean
  /**
   * True for a read that the call can do without. It is of the lowest class, and its failure does not count as a failure of the
   * provider.
   */
  isOptional?: boolean
  /** The time limit of this request. The time limit of the whole call applies too. */
  timeoutMs?: number
  /** A longer response body is an error. */
  bytesMax?: number
  /** For mutual TLS. */
  tls?: ClientTls
}

/** Header names in lower case. */
export type ProviderResponse = { status: number; headers: Record<string, string>; body: Buffer; text: string }

export type ProviderHttp = {
  /** Aborts when the time of the call is over. For libraries that accept a signal. */
  signal: AbortSignal
  /**
   * Returns the provider's response, with any status. Redirects are not followed.
   * @throws Error if there is no complete response; `wasNothingSent` tells whether the provider can have changed anything
   */
  request(request: ProviderRequest): Promise<ProviderResponse>
  /** Whether a request of this call may have moved money at the provider, or opened what can move it. */
  hasWritten(): boolean
  /** Whether this call went on to another request after a write that the provider may have carried out. */
  isPastWrite(): boolean
  /**
   * A driver notes that the answer to the last write says that the provider did nothing. Most answers with a status of 400 to 499 are
   * such without a note.
   */
  noteRefused(): void
  /** Whether the provider has answered a request of this call, and neither with a failure nor by refusing the account. */
  wasAnswered(): boolean
}

/**
 * Marks an error that a driver threw after a complete response as `onlyRead`, if the call has sent only reads. Rule: what the answer to a
 * later request says, such as a 429 or refused credentials, says nothing about what a write before it has done.
 */
export function noteUnwritten(
  error: unknown,
  http: Pick<ProviderHttp, 'hasWritten' | 'isPastWrite'> | undefined,
): void {
  if (!http || !(error instanceof Error)) return
  if (http.isPastWrite()) Object.assign(error, { onlyRead: false })
  else if (!http.hasWritten()) Object.assign(error, { onlyRead: true })
}

/** Returns true if the call that failed with this error cannot have changed anything at the provider. */
export function wasNothingSent(error: unknown): boolean {
  return error instanceof Error && (error as { onlyRead?: boolean }).onlyRead === true
}

/**
 * `version` rises with every change of the account's settings. Values that are cached for an older version are not used any
 * more.
 */
export type AccountState = { id: string; version?: number | undefined }

/** Whose requests they are. `addresses`: absolute URLs; only their origins are called. `secrets`: taken out of the log. */
export type HttpAccount = AccountState & { addresses: readonly string[]; secrets: readonly string[] }

type WayOut = {
  lane?: GateLane
  timeoutMs?: number
  isLate?: () => boolean
  /** Addresses in responses are logged without their paths. */
  hidesAddresses?: boolean
}

const USUAL_WAY = { lane: 'buyer', timeoutMs: TIMEOUT_MS, isLate: undefined, hidesAddresses: false } as const

type Parts = {
  outbound: Pick<Outbound, 'request'>
  record(exchange: Exchange): void
  onBreaker(accountId: string, change: BreakerChange, failures: number): void
  limits?: GateLimits
  nowMs?: () => number
}

export type ProviderNetwork = ReturnType<typeof createProviderNetwork>

/** Creates the network of one world, with the breakers, limits and caches of its accounts. */
export function createProviderNetwork(parts: Parts) {
  const { limits = GATE_LIMITS, nowMs = () => performance.now() } = parts
  const accounts = new Map<string, { version: number; gate: Gate; cache: AccountCache }>()
  const stateOf = ({ id, version = 0 }: AccountState) => {
    const known = accounts.get(id)
    if (known?.version === version) return known
    const onBreaker = (change: BreakerChange, failures: number) => parts.onBreaker(id, change, failures)
    const state = { version, gate: createGate(limits, nowMs, onBreaker), cache: createAccountCache(nowMs) }
    // A call that still has the old credentials gets a state of its own, which nobody else uses.
    if (!known || known.version < version) {
      // With new credentials the requests begin again.
      if (known?.gate.isOpen()) onBreaker('closed', 0)
      accounts.set(id, state)
    }
    return state
  }
  return {
    cacheOf: (account: AccountState): AccountCache => stateOf(account).cache,
    /**
     * The way out for one call, which ends when `signal` aborts. `about`: the payment or saved method. `timeoutMs`: the limit of
     * each request that has none of its own. `isLate`: asked right before each request is written; if true, nothing is sent.
     */
    open(account: HttpAccount, signal: AbortSignal, about: string | null, way: WayOut = {}): ProviderHttp {
      // Once a write has been sent, the outcome of the call is unknown if anything fails later.
      let hasWritten = false
      let wasAnswered = false
      let mayHaveActed = false
      let isPastWrite = false
      return {
        signal,
        hasWritten: () => hasWritten,
        wasAnswered: () => wasAnswered,
        isPastWrite: () => isPastWrite,
        noteRefused() {
          mayHaveActed = isPastWrite
        },
        async request(request) {
          const isWrite = !isReading(request) && !request.movesNoMoney
          isPastWrite ||= mayHaveActed
          mayHaveActed ||= isWrite
          const { gate } = stateOf(account)
          const sending = { ...USUAL_WAY, ...way, ...parts, gate, nowMs, account, about, signal }
          try {
            const response = await send(sending, request)
            hasWritten ||= isWrite
            wasAnswered ||= isAccepting(response.status)
            if (isWrite && isRefusing(response.status)) mayHaveActed = isPastWrite
            return response
          } catch (error) {
            hasWritten ||= isWrite && wasSent(error)
            if (isWrite && !wasSent(error)) mayHaveActed = isPastWrite
            throw Object.assign(error instanceof Error ? error : new Error(String(error)), {
              onlyRead: !hasWritten,
            })
          }
        },
      }
    },
  }
}

const isReading = ({ isRead, method }: ProviderRequest) => isRead ?? ['GET', 'HEAD'].includes(method)
/** A conflict or a time-out may be about a write that is still under way. */
const isRefusing = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 409
const isAccepting = (status: number) => status < 500 && status !== 401 && status !== 403 && status !== 429

type Sending = Pick<Parts, 'outbound' | 'record'> & {
  gate: Gate
  lane: GateLane
  timeoutMs: number
  isLate: (() => boolean) | undefined
  hidesAddresses: boolean
  nowMs: () => number
  account: HttpAccount
  about: string | null
  signal: AbortSignal
}

async function send(sending: Sending, request: ProviderRequest): Promise<ProviderResponse> {
  const { gate, account, signal, nowMs, outbound } = sending
  rejectForeign(account, request.url)
  const { method, url, headers = {}, body, tls, bytesMax = RESPONSE_BYTES_MAX } = request
  const timeoutMs = request.timeoutMs ?? sending.timeoutMs
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const failed = request.isOptional ? 'ignored' : 'failed'
  const lane = request.isOptional ? 'stranger' : sending.lane
  const leave = await gate.enter(limit, lane, { isRead: isReading(request) })
  const startedMs = nowMs()
  const note = (outcome: { status: number | null; failure: string | null; text: string | null }) => {
    const durationMs = Math.round(nowMs() - startedMs)
    sending.record(exchangeOf(sending, request, { ...outcome, durationMs }))
  }
  let answer: WireAnswer
  try {
    limit.throwIfAborted()
    answer = await outbound.request({
      method,
      url,
      headers,
      body,
      tls,
      bytesMax,
      signal: limit,
      isLate: sending.isLate,
    })
  } catch (error) {
    leave(wasLate(error) ? 'ignored' : failed)
    const failure = limit.aborted ? `no answer within ${Math.round(nowMs() - startedMs)} ms` : reasonOf(error)
    note({ status: null, failure, text: null })
    const message = `the provider cannot be reached: ${failure}`
    throw Object.assign(new Error(message), { name: 'ProviderHttpError', sent: wasSent(error) })
  }
  const { statusCode: status, cut } = answer
  leave(UNREACHABLE_STATUSES.includes(status) ? failed : 'answered')
  const text = answer.body.toString('utf8')
  note({ status, failure: cut ? `longer than ${bytesMax} bytes` : null, text })
  if (cut) throw new Error(`the provider's answer is longer than ${bytesMax} bytes`)
  return { status, headers: single(answer.headers), body: answer.body, text }
}

/** Without this check, an address in a provider's response could make a driver call any server. */
function rejectForeign({ addresses }: HttpAccount, url: string): void {
  const origin = URL.canParse(url) ? new URL(url).origin : null
  if (!addresses.some((address) => URL.canParse(address) && new URL(address).origin === origin))
    throw unsent(`the account is not configured to call ${origin ?? 'this address'}`)
}

function single(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}
