/**
 * Sends every outgoing request. The whole exchange has a time limit, the response has a size limit, redirects are not followed,
 * and the address is checked at each connection. A merchant chooses the callback URL, so it must not reach internal addresses.
 */
import { isIP } from 'node:net'
import { AppError } from '../errors.ts'
import {
  type Address,
  isInside,
  isLoopback,
  isPublicName,
  type ResolveName,
  resolveLocalName,
  resolvePublicName,
} from './address.ts'
import { ATTEMPT_DELAY_MS, type Connect, connectToAddress, type Dialing } from './dial.ts'
import { createKeptConnections, type KeptConnections, type Limit } from './kept.ts'
import { createUnreachable } from './unreachable.ts'
import { bareHost, type ClientTls, exchangeWithAny, reasonOf, type WireAnswer } from './wire.ts'

const ANSWER_BYTES_MAX = 4_096
/** Further addresses of a host are not used. */
const ADDRESSES_MAX = 100

export type Exchange =
  | { kind: 'answered'; statusCode: number; retryAfter: string | undefined; responseStart: string }
  /** `code`: of the operating system, such as ECONNREFUSED. */
  | { kind: 'failed'; message: string; code?: string | undefined }

export type Outbound = ReturnType<typeof createOutbound>

type EventRequest = { headers: Record<string, string>; body: string | Buffer }

/** A request to a provider. It gets a new connection, so that it is never sent twice. */
export type OutboundRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body?: string | Buffer | undefined
  tls?: ClientTls | undefined
  bytesMax: number
  signal: AbortSignal
  /** Asked right before the request is written. True: nothing is sent. */
  isLate?: (() => boolean) | undefined
}

type Options = {
  resolveName?: ResolveName
  httpsPort?: number
  /** Allows other ports than 443 with https. Only for addresses that an operator configures, not for a merchant's URL. */
  anyPort?: boolean
  /** An origin that this process serves itself. Requests to it are sent directly to `listensAt`. */
  own?: { origin: string; listensAt: string }
  /** For tests. How long one address is waited for before the next one is tried too, and how an address is connected to. */
  attemptDelayMs?: number
  connect?: Connect
}

/** Which addresses requests may go to, and the connections that they share. */
type Rules = Required<Pick<Options, 'httpsPort' | 'anyPort'>> & {
  resolvePublic: ResolveName
  resolveLocal: ResolveName
  dialing: Dialing
  allow: readonly string[]
  own: Options['own']
  kept: KeptConnections
}

/**
 * `allow`: exceptions to the address check: `loopback`, or exact hosts (`host` or `host:port`). These may use plain http.
 * `resolveName` and `httpsPort`: for tests with their own name server and port.
 */
export function createOutbound(
  allow: readonly string[],
  {
    resolveName,
    httpsPort = 443,
    anyPort = false,
    own,
    attemptDelayMs = ATTEMPT_DELAY_MS,
    connect = connectToAddress,
  }: Options = {},
) {
  const dialing = { connect, attemptDelayMs, unreachable: createUnreachable() }
  const rules: Rules = {
    allow,
    resolvePublic: resolveName ?? resolvePublicName,
    resolveLocal: resolveName ?? resolveLocalName,
    httpsPort,
    anyPort,
    own,
    dialing,
    kept: createKeptConnections(dialing),
  }
  return {
    /** Checks the text of a URL. Its addresses are checked at each connection. @throws AppError validation_failed */
    checkUrl: (text: string): URL => checkUrl(rules, text),
    /** Posts `body`. Never throws. `timeoutMs` limits the whole exchange, from the name look-up to the end of the response. */
    post: (text: string, event: EventRequest & { timeoutMs: number }): Promise<Exchange> =>
      post(rules, text, event),
    /** Sends any request. @throws Error; `wasSent` tells whether the request may have arrived */
    request: (wanted: OutboundRequest): Promise<WireAnswer> => request(rules, wanted),
  }
}

function post(
  rules: Rules,
  text: string,
  { timeoutMs, ...event }: EventRequest & { timeoutMs: number },
): Promise<Exchange> {
  const { promise, resolve: end } = Promise.withResolvers<Exchange>()
  const limit: Limit = { isOver: false, stop() {} }
  // `AbortSignal.timeout` would also wake the process for each exchange that has ended long ago.
  const timer = setTimeout(() => {
    end({ kind: 'failed', message: `no answer within ${timeoutMs} ms` })
    limit.isOver = true
    limit.stop()
  }, timeoutMs)
  exchange(rules, text, event, limit)
    .then(end, (error: NodeJS.ErrnoException) =>
      end({ kind: 'failed', message: reasonOf(error), code: error.code }),
    )
    .finally(() => clearTimeout(timer))
  return promise
}

async function exchange(rules: Rules, text: string, event: EventRequest, limit: Limit): Promise<Exchange> {
  const url = checkUrl(rules, text)
  const addresses = await resolve(rules, url)
  if (limit.isOver) throw new Error('the time is over')
  const port = portOf(rules, url)
  const wanted = { ...event, url, port, addresses, bytesMax: ANSWER_BYTES_MAX, limit }
  const { statusCode, headers, body } = await rules.kept(wanted)
  const [retryAfter] = [headers['retry-after']].flat()
  return { kind: 'answered', statusCode, retryAfter, responseStart: body.toString('utf8') }
}

async function request(rules: Rules, { url: text, ...rest }: OutboundRequest): Promise<WireAnswer> {
  const { url, addresses } = await unlessAborted(rest.signal, locate(rules, text)).catch((error: unknown) => {
    throw Object.assign(asError(error), { sent: false })
  })
  return exchangeWithAny(addresses, { ...rest, url, port: portOf(rules, url), dialing: rules.dialing })
}

async function locate(rules: Rules, text: string): Promise<{ url: URL; addresses: Address[] }> {
  const named = URL.canParse(text) ? new URL(text) : null
  if (!rules.own || named?.origin !== rules.own.origin) {
    const url = checkUrl(rules, text)
    return { url, addresses: await resolve(rules, url) }
  }
  const url = new URL(named.pathname + named.search, rules.own.listensAt)
  return { url, addresses: await rules.resolveLocal(bareHost(url)) }
}

function checkUrl(rules: Rules, text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw refused(text, 'write an absolute https address')
  if (url.username || url.password) throw refused(text, 'remove the user name and the password')
  if (isLocal(rules, url)) return url
  if (url.protocol !== 'https:') throw refused(text, 'it must be https')
  if (url.port && !rules.anyPort) throw refused(text, 'it must use port 443')
  if (!isPublicName(url.hostname)) throw refused(text, 'it must name a public host')
  return url
}

/** Returns the addresses of the host. All of them must be allowed. The first that is ready for a request is used. */
async function resolve(rules: Rules, url: URL): Promise<Address[]> {
  const host = bareHost(url)
  const addresses = isIP(host)
    ? [{ address: host, family: isIP(host) }]
    : await (isLocal(rules, url) ? rules.resolveLocal : rules.resolvePublic)(host)
  const forbidden = addresses.find(({ address }) => !isAllowed(rules, url, address))
  if (forbidden)
    throw new Error(`${url.host} resolves to ${forbidden.address}, which is not a public address`)
  if (addresses.length === 0) throw new Error(`${url.host} has no address`)
  return addresses.slice(0, ADDRESSES_MAX)
}

function isExcepted({ allow }: Rules, url: URL): boolean {
  return allow.includes(url.hostname) || allow.includes(url.host)
}

function isLocal(rules: Rules, url: URL): boolean {
  return isExcepted(rules, url) || (rules.allow.includes('loopback') && namesLoopback(url))
}

function isAllowed(rules: Rules, url: URL, address: string): boolean {
  const isAllowedLoopback = rules.allow.includes('loopback') && isLoopback(address)
  return isExcepted(rules, url) || isAllowedLoopback || !isInside(address)
}

function portOf({ httpsPort }: Rules, url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? httpsPort : 80)
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

function namesLoopback(url: URL): boolean {
  return url.hostname === 'localhost' || isLoopback(bareHost(url))
}

/** Returns an address for a log or a message, without the query, because a query can contain a secret. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}

function refused(text: string, advice: string): AppError {
  return new AppError('validation_failed', {
    reason: 'callback_url',
    message: `The address ${JSON.stringify(withoutQuery(text))} is not allowed: ${advice}.`,
  })
}

function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  return promise
}
