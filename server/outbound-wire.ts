/**
 * One exchange on the wire, with an address that has been checked already: one request, one answer of bounded size. It
 * follows no redirect.
 */
import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
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
 * A server may close a kept connection just when it is used again. The request is then sent once more on a new connection.
 * So a request that must not be sent twice has no agent.
 */
async function exchange(wire: Wire & { address: string }): Promise<WireAnswer> {
  const answer = await exchangeOnce(wire)
  return answer === 'stale' ? ((await exchangeOnce({ ...wire, agent: undefined })) as WireAnswer) : answer
}

/**
 * The checked address itself is the host that is connected to. The agent keeps connections under address, port and the
 * name in the certificate, so that one that is used again belongs to an address that was checked for this very request.
 */
function exchangeOnce({
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
}: Wire & { address: string }): Promise<WireAnswer | 'stale'> {
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer | 'stale'>()
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
  let answering = false
  request.once('socket', (socket) => {
    if (request.reusedSocket) sent = true
    else socket.once(secure ? 'secureConnect' : 'connect', () => (sent = true))
  })
  request.once('error', (error: NodeJS.ErrnoException) => {
    const stale = request.reusedSocket && !answering && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
    if (stale) resolve('stale')
    else reject(Object.assign(error, { sent }))
  })
  request.once('response', (response) => {
    answering = true
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
