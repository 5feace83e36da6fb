/**
 * A driver's only way out. Every request has a time limit, a size limit, an address that the account is configured for, the
 * account's own breaker and concurrency, and a line in the exchange log.
 * Rule: a request is sent once, on a connection of its own. Only the core decides whether anything is sent again.
 */
import type { Outbound } from '../outbound.ts'
import { type ClientTls, reasonOf, type WireAnswer, wasSent } from '../outbound-wire.ts'
import { blotBody, blotText, blotUrl } from './http/blot.ts'
import { type AccountCache, createAccountCache } from './http/cache.ts'
import { createGate, GATE_LIMITS, type Gate, type GateLimits, unsent } from './http/gate.ts'

export type { AccountCache } from './http/cache.ts'

const TIMEOUT_MS = 15_000
const RESPONSE_BYTES_MAX = 1_000_000
const UNREACHED_STATUSES = [502, 503, 504]

export type ProviderRequest = {
  method: string
  /** Absolute; its origin must be one of the account's addresses. */
  url: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** True for a question that changes nothing at the provider, whatever its method. GET and HEAD always are. */
  isRead?: boolean
  /** At most so long, and never longer than the whole call may take. */
  timeoutMs?: number
  /** A longer body is refused. */
  bytesMax?: number
  /** Mutual TLS. */
  tls?: ClientTls
}

/** Header names in lower case. */
export type ProviderResponse = { status: number; headers: Record<string, string>; body: Buffer; text: string }

export type ProviderHttp = {
  /** Aborted when the call's time is over: for a library that wants one. */
  signal: AbortSignal
  /**
   * Returns whatever the provider answered, of any status; redirects are not followed.
   * @throws Error where there is no whole answer; `wasNothingSent` tells whether the provider can have acted
   */
  request(request: ProviderRequest): Promise<ProviderResponse>
}

/** Returns true if the call that failed with this error has sent the provider nothing but questions. */
export function wasNothingSent(error: unknown): boolean {
  return error instanceof Error && (error as { onlyRead?: boolean }).onlyRead === true
}

/** What is kept of one request and its answer, with secrets and personal data taken out. */
export type Exchange = {
  accountId: string
  /** The payment or saved method that it was about; null for the account itself. */
  about: string | null
  method: string
  url: string
  /** Null when no answer came; `failure` says why. */
  status: number | null
  failure: string | null
  durationMs: number
  requestBody: string | null
  responseBody: string | null
}

/** `version` rises with every change of the account's settings. What is kept in memory for an older version is not used any more. */
export type AccountState = { id: string; version?: number | undefined }

/** Whose requests they are. `addresses`: absolute URLs; only their origins are called. `secrets`: taken out of the log. */
export type HttpAccount = AccountState & { addresses: readonly string[]; secrets: readonly string[] }

type Parts = {
  outbound: Pick<Outbound, 'request'>
  record(exchange: Exchange): void
  onBreaker(accountId: string, state: 'open' | 'closed', failures: number): void
  limits?: GateLimits
  nowMs?: () => number
}

export type ProviderNetwork = ReturnType<typeof createProviderNetwork>

/** One for each world: it holds the breakers, limits and caches of the world's accounts. */
export function createProviderNetwork(parts: Parts) {
  const { limits = GATE_LIMITS, nowMs = () => performance.now() } = parts
  const accounts = new Map<string, { version: number; gate: Gate; cache: AccountCache }>()
  const stateOf = ({ id, version = 0 }: AccountState) => {
    const known = accounts.get(id)
    if (known?.version === version) return known
    const onBreaker = (state: 'open' | 'closed', failures: number) => parts.onBreaker(id, state, failures)
    const state = { version, gate: createGate(limits, nowMs, onBreaker), cache: createAccountCache(nowMs) }
    // A call that still has the old credentials gets a state of its own, which nobody else uses.
    if (!known || known.version < version) accounts.set(id, state)
    return state
  }
  return {
    cacheOf: (account: AccountState): AccountCache => stateOf(account).cache,
    /** The way out for one call, which ends when `signal` aborts. `about`: the payment or saved method. */
    open(account: HttpAccount, signal: AbortSignal, about: string | null): ProviderHttp {
      // A write that has left makes every later failure of the call an unknown outcome.
      let hasWritten = false
      return {
        signal,
        async request(request) {
          const isRead = request.isRead ?? ['GET', 'HEAD'].includes(request.method)
          const sending = { gate: stateOf(account).gate, nowMs, ...parts, account, about, signal }
          try {
            const response = await send(sending, request)
            hasWritten ||= !isRead
            return response
          } catch (error) {
            hasWritten ||= !isRead && wasSent(error)
            throw Object.assign(error instanceof Error ? error : new Error(String(error)), {
              onlyRead: !hasWritten,
            })
          }
        },
      }
    },
  }
}

type Sending = Pick<Parts, 'outbound' | 'record'> & {
  gate: Gate
  nowMs: () => number
  account: HttpAccount
  about: string | null
  signal: AbortSignal
}

async function send(sending: Sending, request: ProviderRequest): Promise<ProviderResponse> {
  const { gate, account, signal, nowMs, outbound } = sending
  refuseForeign(account, request.url)
  const { method, url, headers = {}, body, tls, bytesMax = RESPONSE_BYTES_MAX } = request
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const leave = await gate.enter(limit)
  const startedMs = nowMs()
  const note = noteOn(sending, request, startedMs)
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
    })
  } catch (error) {
    leave('failed')
    const failure = limit.aborted ? `no answer within ${Math.round(nowMs() - startedMs)} ms` : reasonOf(error)
    note({ status: null, failure, text: null })
    const message = `the provider cannot be reached: ${failure}`
    throw Object.assign(new Error(message), { name: 'ProviderHttpError', sent: wasSent(error) })
  }
  const { statusCode: status, cut } = answer
  leave(UNREACHED_STATUSES.includes(status) ? 'failed' : 'answered')
  const text = answer.body.toString('utf8')
  note({ status, failure: cut ? `longer than ${bytesMax} bytes` : null, text })
  if (cut) throw new Error(`the provider's answer is longer than ${bytesMax} bytes`)
  return { status, headers: single(answer.headers), body: answer.body, text }
}

/** Without this, a reply of the provider that names an address could lead a driver anywhere. */
function refuseForeign({ addresses }: HttpAccount, url: string): void {
  const origin = URL.canParse(url) ? new URL(url).origin : null
  if (!addresses.some((address) => URL.canParse(address) && new URL(address).origin === origin))
    throw unsent(`the account is not configured to call ${origin ?? 'this address'}`)
}

function noteOn({ record, account, about, nowMs }: Sending, request: ProviderRequest, startedMs: number) {
  const { id: accountId, secrets } = account
  return ({
    status,
    failure,
    text,
  }: {
    status: number | null
    failure: string | null
    text: string | null
  }) =>
    record({
      accountId,
      about,
      method: request.method,
      url: blotUrl(request.url, secrets),
      status,
      failure: failure && blotText(failure, secrets),
      durationMs: Math.round(nowMs() - startedMs),
      requestBody: request.body === undefined ? null : blotBody(request.body, secrets),
      responseBody: text === null ? null : blotBody(text, secrets),
    })
}

function single(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}
