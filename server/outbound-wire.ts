/**
 * One exchange on the wire, with an address that has been checked already: one request, one answer of bounded size. It
 * follows no redirect.
 */
import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Address } from './outbound-address.ts'

/** There was no connection. */
const UNREACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])

/** PEM texts: what an account shows to its provider (mutual TLS), and whom it trusts besides the public authorities. */
export type ClientTls = { certificate?: string; key?: string; passphrase?: string; authority?: string }

export type Wire = {
  url: URL
  method: string
  headers: Record<string, string>
  body?: string | Buffer | undefined
  port: number
  /** Keeps connections for further requests. Without it the request gets a connection of its own. */
  agent?: http.Agent | undefined
  tls?: ClientTls | undefined
  /** More is not read. */
  bytesMax: number
  signal: AbortSignal
}
/** `cut`: the body was longer than `bytesMax`; `body` is its start. */
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

/** False if a failed exchange certainly sent nothing: there was never a connection. */
export function wasSent(error: unknown): boolean {
  return (error as { sent?: boolean }).sent !== false
}

/**
 * Lets the event loop read every socket once, so that the agent drops kept connections that their servers have closed. After the
 * request is sent it is too late: a reset then may mean that the receiver has read it, and only the schedule sends it again.
 */
async function dropClosedConnections(agent: http.Agent | undefined): Promise<void> {
  if (!agent || Object.keys(agent.freeSockets).length === 0) return
  await nextTurn()
  await nextTurn()
}

/**
 * The checked address itself is the host that is connected to. The agent keeps connections under address, port and the
 * name in the certificate, so that one that is used again belongs to an address that was checked for this very request.
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
    // An address in the place of a name has no server name, and the certificate is held against the address.
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

/** The host without the brackets of an IPv6 literal. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Returns why a request failed, in the words of the error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || (error as { code?: string }).code || error.name
}
