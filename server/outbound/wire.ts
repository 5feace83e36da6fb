/**
 * Makes one HTTP exchange with an address that is already checked. The response is limited in size, and redirects are not
 * followed.
 */
import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Address } from './address.ts'

/** Errors that mean that there was no connection. */
const UNREACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

/** PEM texts: the account's certificate and key for mutual TLS, and an authority that it trusts besides the public ones. */
export type ClientTls = { certificate?: string; key?: string; passphrase?: string; authority?: string }

export type Wire = {
  url: URL
  method: string
  headers: Record<string, string>
  body?: string | Buffer | undefined
  port: number
  /** Keeps connections for further requests. Without an agent, the request gets a new connection. */
  agent?: http.Agent | undefined
  tls?: ClientTls | undefined
  /** The rest of a longer response is not read. */
  bytesMax: number
  signal: AbortSignal
  /** Asked when the connection is ready, right before the request is written. True: nothing is sent. */
  isLate?: (() => boolean) | undefined
}
/** `cut`: whether the body was longer than `bytesMax`. Then `body` is its start. */
export type WireAnswer = { statusCode: number; headers: IncomingHttpHeaders; body: Buffer; cut: boolean }

/** Tries the next address only if there was no connection, because then nothing was sent. @throws Error, see `wasSent` */
export async function exchangeWithAny(addresses: Address[], wire: Wire): Promise<WireAnswer> {
  const [{ address } = { address: '' }, ...others] = addresses
  try {
    return await exchange({ ...wire, address })
  } catch (error) {
    const unreached = UNREACHED.has((error as NodeJS.ErrnoException).code ?? '')
    if (!unreached || others.length === 0) throw error
    return exchangeWithAny(others, wire)
  }
}

/** Returns false if a failed exchange sent nothing, because there was no connection. */
export function wasSent(error: unknown): boolean {
  return (error as { sent?: boolean }).sent !== false
}

/**
 * Lets the event loop read every idle socket once, so that the agent drops connections that their servers have closed. If a reset
 * were noticed only after sending, the receiver might have read the request, so it could not be sent again on another connection.
 */
async function dropClosedConnections(agent: http.Agent | undefined): Promise<void> {
  if (!agent || Object.keys(agent.freeSockets).length === 0) return
  await nextTurn()
  await nextTurn()
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
 * Connects to the checked address itself, not to the name. The agent stores connections by address, port and certificate name, so
 * a reused connection always belongs to an address that was checked for this request.
 * Nothing is given to the socket before it is connected. A process that was stopped meanwhile reads the new connection before its
 * timers run, so an abort would come after the request was written.
 */
async function exchange({
  url,
  method,
  address,
  port,
  headers,
  body,
  agent,
  tls,
  bytesMax,
  signal,
  isLate = () => false,
}: Wire & { address: string }): Promise<WireAnswer> {
  await dropClosedConnections(agent)
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>()
  const secure = url.protocol === 'https:'
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const request = (secure ? https : http).request({
    method,
    host: address,
    port,
    path: url.pathname + url.search,
    agent: agent ?? false,
    signal,
    // If the URL has an address instead of a name, no server name is sent, and the certificate must contain the address.
    servername: isIP(bareHost(url)) ? '' : url.hostname,
    headers: { ...headers, host: url.host, ...length },
    ...(tls && { cert: tls.certificate, key: tls.key, passphrase: tls.passphrase, ca: tls.authority }),
  })
  let sent = false
  const write = () => {
    if (isLate()) return request.destroy(new LateError('the time was over before the request could be sent'))
    sent = true
    return request.end(body)
  }
  request.once('socket', (socket) => {
    if (request.reusedSocket) write()
    else socket.once(secure ? 'secureConnect' : 'connect', write)
  })
  request.once('error', (error) => reject(Object.assign(error, { sent })))
  request.once('response', (response) => readAnswer(response, bytesMax).then(resolve, reject))
  return promise
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
