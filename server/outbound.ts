/**
 * Every outgoing request: a time limit over the whole exchange, a limit on what is read, no redirects, and the address
 * checked at the moment of connecting. A merchant's callback URL is somebody else's text: it must not lead inside.
 */
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from './errors.ts'
import {
  type Address,
  isInside,
  isLoopback,
  isPublicName,
  type ResolveName,
  resolveLocalName,
  resolvePublicName,
} from './outbound-address.ts'

const ANSWER_BYTES_MAX = 4_096
/** Shorter than what servers usually keep a silent connection for, so that it is we who close it. */
const IDLE_MS = 4_000
const IDLE_SOCKETS_MAX = 4
const ADDRESSES_MAX = 4
/** There was no connection. */
const UNREACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

export type Exchange =
  | { kind: 'answered'; statusCode: number; retryAfter: string | undefined; answerStart: string }
  | { kind: 'failed'; message: string }

export type Outbound = ReturnType<typeof createOutbound>

type Letter = { headers: Record<string, string>; body: string }

/**
 * `allow`: exceptions to the address check: `loopback`, or exact hosts (`host` or `host:port`). They may be plain http.
 * `resolveName` and `httpsPort`: where a test has an internet of its own.
 */
export function createOutbound(
  allow: readonly string[],
  {
    resolveName = resolvePublicName,
    httpsPort = 443,
  }: { resolveName?: ResolveName; httpsPort?: number } = {},
) {
  const isExcepted = (url: URL) => allow.includes(url.hostname) || allow.includes(url.host)
  const loopback = allow.includes('loopback')
  const isLocal = (url: URL) => isExcepted(url) || (loopback && namesLoopback(url))
  const isAllowed = (url: URL, address: string) =>
    isExcepted(url) || (loopback && isLoopback(address)) || !isInside(address)
  const keepAlive = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_SOCKETS_MAX }
  const agents = { 'http:': new http.Agent(keepAlive), 'https:': new https.Agent(keepAlive) }

  /** What can be told from the text alone; the address itself is checked at each connection. @throws AppError validation_failed */
  function checkUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || !/^https?:$/.test(url.protocol)) throw refused(text, 'write an absolute https address')
    if (url.username || url.password) throw refused(text, 'leave user and password out of it')
    if (isLocal(url)) return url
    if (url.protocol !== 'https:') throw refused(text, 'it must be https')
    if (url.port) throw refused(text, 'it must use port 443')
    if (!isPublicName(url.hostname)) throw refused(text, 'it must name a public host')
    return url
  }

  /** The addresses of the host, of which the first that takes a connection is used; every one of them must be allowed. */
  async function resolve(url: URL): Promise<Address[]> {
    const host = bare(url)
    const addresses = isIP(host)
      ? [{ address: host, family: isIP(host) }]
      : await (isLocal(url) ? resolveLocalName : resolveName)(host)
    const refusedOne = addresses.find(({ address }) => !isAllowed(url, address))
    if (refusedOne)
      throw new Error(`${url.host} leads to ${refusedOne.address}, which is not a public address`)
    if (addresses.length === 0) throw new Error(`${url.host} has no address`)
    return addresses.slice(0, ADDRESSES_MAX)
  }

  /** Posts `body`; never throws. `timeoutMs` bounds the whole exchange, name look-up and reading of the answer included. */
  async function post(
    text: string,
    { timeoutMs, ...letter }: Letter & { timeoutMs: number },
  ): Promise<Exchange> {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const url = checkUrl(text)
      const addresses = await unlessAborted(signal, resolve(url))
      const agent = agents[url.protocol as keyof typeof agents]
      const port = Number(url.port) || (url.protocol === 'https:' ? httpsPort : 80)
      return await exchangeWithAny(addresses, { ...letter, url, port, agent, signal })
    } catch (error) {
      return {
        kind: 'failed',
        message: signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error),
      }
    }
  }

  return { checkUrl, post }
}

/** The host without the brackets of an IPv6 literal. */
function bare(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

function namesLoopback(url: URL): boolean {
  return url.hostname === 'localhost' || isLoopback(bare(url))
}

/** An address as a log or a message may hold it: whatever stands in its query may be a secret. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}

function refused(text: string, advice: string): AppError {
  return new AppError('validation_failed', {
    message: `The address ${JSON.stringify(withoutQuery(text))} is not allowed: ${advice}.`,
  })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || (error as { code?: string }).code || error.name
}

function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  return promise
}

type Call = Letter & { url: URL; address: string; port: number; agent: http.Agent; signal: AbortSignal }

/** The next address is tried only where there was no connection: nothing was sent then. */
async function exchangeWithAny(addresses: Address[], call: Omit<Call, 'address'>): Promise<Exchange> {
  const [{ address } = { address: '' }, ...others] = addresses
  try {
    return await exchange({ ...call, address })
  } catch (error) {
    const unreached = UNREACHED.has((error as NodeJS.ErrnoException).code ?? '')
    if (!unreached || others.length === 0) throw error
    return exchangeWithAny(others, call)
  }
}

/**
 * Lets the event loop read every socket once, so that the agent drops kept connections that their servers have closed. After the
 * request is sent it is too late: a reset then may mean that the receiver has read it, and only the schedule sends it again.
 */
async function dropClosedConnections({ freeSockets }: http.Agent): Promise<void> {
  if (Object.keys(freeSockets).length === 0) return
  await nextTurn()
  await nextTurn()
}

/**
 * The checked address itself is the host that is connected to. The agent keeps connections under address, port and the
 * name in the certificate, so that one that is used again belongs to an address that was checked for this very request.
 */
async function exchange({ url, address, port, headers, body, agent, signal }: Call): Promise<Exchange> {
  await dropClosedConnections(agent)
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>()
  const request = (url.protocol === 'https:' ? https : http).request({
    method: 'POST',
    host: address,
    port,
    path: url.pathname + url.search,
    agent,
    signal,
    // An address in the place of a name has no server name, and the certificate is held against the address.
    servername: isIP(bare(url)) ? '' : url.hostname,
    headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body) },
  })
  request.once('error', reject)
  request.once('response', (response) => {
    const { statusCode = 0, headers: answered } = response
    const chunks: Buffer[] = []
    let bytes = 0
    const finish = () => {
      const answerStart = Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString('utf8')
      resolve({ kind: 'answered', statusCode, retryAfter: answered['retry-after'], answerStart })
    }
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes < ANSWER_BYTES_MAX) return
      finish()
      response.destroy()
    })
    response.once('end', finish)
    response.once('error', reject)
    response.once('aborted', () => reject(new Error('the answer was cut off')))
  })
  request.end(body)
  return promise
}
