/**
 * Makes one HTTP exchange with an address that is already checked. The response is limited in size, and redirects are not
 * followed.
 */
import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Address } from './outbound-address.ts'

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

/**
 * Connects to the checked address itself, not to the name. The agent stores connections by address, port and certificate name, so
 * a reused connection always belongs to an address that was checked for this request.
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
  request.once('socket', (socket) => {
    if (request.reusedSocket) sent = true
    else socket.once(secure ? 'secureConnect' : 'connect', () => (sent = true))
  })
  request.once('error', (error) => reject(Object.assign(error, { sent })))
  request.once('response', (response) => {
    const { statusCode = 0, headers: answered } = response
    const chunks: Buffer[] = []
    let bytes = 0
    const finish = () => {
      const whole = Buffer.concat(chunks)
      resolve({ statusCode, headers: answered, body: whole.subarray(0, bytesMax), cut: bytes > bytesMax })
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
  })
  request.end(body)
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
