/**
 * Makes one HTTP exchange with an address that is already checked. The response is limited in size, and redirects are not
 * followed.
 */
import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { getCACertificates } from 'node:tls'
import type { Address } from './address.ts'
import { type Dialing, dial, type Target } from './dial.ts'

/**
 * The account's certificate and key for mutual TLS, as PEM texts or together in the bytes of a PKCS#12 file (`bundle`), and an authority
 * that it trusts besides the public ones.
 */
export type ClientTls = {
  certificate?: string
  key?: string
  bundle?: Buffer
  passphrase?: string
  authority?: string
}

export type Wire = {
  url: URL
  method: string
  headers: Record<string, string>
  body?: string | Buffer | undefined
  port: number
  dialing: Dialing
  tls?: ClientTls | undefined
  /** The rest of a longer response is not read. */
  bytesMax: number
  signal: AbortSignal
  /** Asked when the connection is ready, right before the request is written. True: nothing is sent. */
  isLate?: (() => boolean) | undefined
}
/** `cut`: whether the body was longer than `bytesMax`. Then `body` is its start. */
export type WireAnswer = { statusCode: number; headers: IncomingHttpHeaders; body: Buffer; cut: boolean }

/** Returns false if a failed exchange sent nothing, because there was no connection. */
export function wasSent(error: unknown): boolean {
  return (error as { sent?: boolean }).sent !== false
}

/** The connection was ready only after the time in which the request may leave. */
class LateError extends Error {
  override name = 'LateError'
}

/** Whether a request was held back because its time was over. */
export function wasLate(error: unknown): boolean {
  return error instanceof LateError
}

/**
 * Connects to one of the checked addresses, not to the name. Another address is tried only until one is connected. Then the request is written, and never again.
 * @throws Error, see `wasSent`
 */
export async function exchangeWithAny(addresses: Address[], wire: Wire): Promise<WireAnswer> {
  const { url, method, port, headers, body, dialing, bytesMax, signal, isLate } = wire
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>()
  const secure = url.protocol === 'https:'
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const target = targetOf(wire)
  const request = (secure ? https : http).request({
    method,
    host: namesOf(addresses),
    port,
    path: url.pathname + url.search,
    signal,
    servername: target.tls?.servername,
    headers: { ...headers, host: url.host, ...length },
    createConnection(_, done) {
      dial(dialing, addresses, target, signal).then(
        (socket) => done(null, socket),
        // The types want a socket beside an error.
        (error: unknown) => Reflect.apply(done, undefined, [error]),
      )
      return undefined
    },
  })
  let sent = false
  // A process that was stopped meanwhile may get the new connection before its timers run. Then the signal aborts too late.
  request.once('socket', () => {
    if (isLate?.())
      return request.destroy(new LateError('the time was over before the request could be sent'))
    sent = true
    return request.end(body)
  })
  request.once('error', (error) => reject(Object.assign(error, { sent })))
  request.once('response', (response) => readAnswer(response, bytesMax).then(resolve, reject))
  return promise
}

export function targetOf({ url, port, tls }: Pick<Wire, 'url' | 'port' | 'tls'>): Target {
  const { host, hostname, protocol } = url
  if (protocol !== 'https:') return { host, port, tls: null }
  // If the URL has an address instead of a name, no server name is sent, and the certificate must contain the address.
  const servername = isIP(bareHost(url)) ? '' : hostname
  const { certificate: cert, key, bundle: pfx, passphrase, authority } = tls ?? {}
  // A list replaces the public authorities.
  const ca = authority === undefined ? undefined : [...getCACertificates(), authority]
  return { host, port, tls: { servername, cert, key, pfx, passphrase, ca } }
}

/** Returns one name for a set of addresses. */
export function namesOf(addresses: Address[]): string {
  return addresses
    .map(({ address }) => address)
    .sort()
    .join(' ')
}

function readAnswer(response: http.IncomingMessage, bytesMax: number): Promise<WireAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>()
  const { statusCode = 0, headers } = response
  const chunks: Buffer[] = []
  let bytes = 0
  const finish = () => {
    const whole = Buffer.concat(chunks)
    resolve({ statusCode, headers, body: whole.subarray(0, bytesMax), cut: bytes > bytesMax })
  }
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes <= bytesMax) return
    finish()
    response.destroy()
  })
  response.once('end', finish)
  response.once('error', reject)
  response.once('aborted', () => reject(new Error('the answer was cut off')))
  return promise
}

/** Returns the host without the brackets of an IPv6 address. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Returns why a request failed, in the words of the error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || (error as { code?: string }).code || error.name
}
