/**
 * Every outgoing request: a time limit over the whole exchange, a limit on what is read, no redirects, and the address
 * checked at the moment of connecting. A merchant's callback URL is somebody else's text: it must not lead inside.
 */
import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { AppError } from './errors.ts'

const ANSWER_BYTES_MAX = 4_096

/** Loopback, private, shared, link-local, documentation, benchmark, multicast, reserved; and what can wrap them. */
const INSIDE = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  INSIDE.addSubnet(net, bits, 'ipv4')
/** Of IPv6 only global unicast is outside; within it, the ranges that carry an IPv4 address or are not routed. */
const OUTSIDE_IPV6 = new BlockList()
OUTSIDE_IPV6.addSubnet('2000::', 3, 'ipv6')
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  INSIDE.addSubnet(net, bits, 'ipv6')

function isInside(address: string): boolean {
  if (isIP(address) === 4) return INSIDE.check(address, 'ipv4')
  return !OUTSIDE_IPV6.check(address, 'ipv6') || INSIDE.check(address, 'ipv6')
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

export type Exchange =
  | { kind: 'answered'; statusCode: number; retryAfter: string | undefined; answerStart: string }
  | { kind: 'failed'; message: string }

export type Outbound = ReturnType<typeof createOutbound>

/** `allow`: exceptions to the address check: `loopback`, or exact hosts (`host` or `host:port`). They may be plain http. */
export function createOutbound(allow: readonly string[]) {
  const isExcepted = (url: URL) => allow.includes(url.hostname) || allow.includes(url.host)
  const loopback = allow.includes('loopback')
  const isAllowed = (url: URL, address: string) =>
    isExcepted(url) ||
    (loopback && LOOPBACK.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')) ||
    !isInside(address)
  const namesLoopback = (url: URL) =>
    url.hostname === 'localhost' ||
    (isIP(bare(url)) > 0 && LOOPBACK.check(bare(url), isIP(bare(url)) === 4 ? 'ipv4' : 'ipv6'))

  /** What can be told from the text alone; the address itself is checked at each connection. @throws AppError validation_failed */
  function checkUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || !/^https?:$/.test(url.protocol)) throw refused(text, 'write an absolute https address')
    if (url.username || url.password) throw refused(text, 'leave user and password out of it')
    if (isExcepted(url) || (loopback && namesLoopback(url))) return url
    if (url.protocol !== 'https:') throw refused(text, 'it must be https')
    if (isIP(bare(url)) > 0 || url.hostname === 'localhost') throw refused(text, 'it must name a public host')
    return url
  }

  /** Resolves the host and answers the one address that is connected to; every address of the host must be allowed. */
  async function resolve(url: URL): Promise<{ address: string; family: number }> {
    const literal = bare(url)
    const addresses = isIP(literal)
      ? [{ address: literal, family: isIP(literal) }]
      : await lookup(literal, { all: true })
    const refusedOne = addresses.find(({ address }) => !isAllowed(url, address))
    if (refusedOne)
      throw new Error(`${url.host} leads to ${refusedOne.address}, which is not a public address`)
    const [first] = addresses
    if (!first) throw new Error(`${url.host} has no address`)
    return first
  }

  /** Posts `body`; never throws. `timeoutMs` bounds the whole exchange, name look-up and reading of the answer included. */
  async function post(
    text: string,
    { headers, body, timeoutMs }: { headers: Record<string, string>; body: string; timeoutMs: number },
  ): Promise<Exchange> {
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const url = checkUrl(text)
      return await exchange(url, await resolve(url), { headers, body, signal })
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

function refused(text: string, advice: string): AppError {
  return new AppError('validation_failed', {
    message: `The address ${JSON.stringify(text)} is not allowed: ${advice}.`,
  })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || (error as { code?: string }).code || error.name
}

function exchange(
  url: URL,
  at: { address: string; family: number },
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<Exchange> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>()
  const checked: LookupFunction = (_host, options, done) =>
    options.all ? done(null, [at]) : done(null, at.address, at.family)
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    lookup: checked,
    signal,
    agent: false,
  })
  request.once('error', reject)
  request.once('response', (response) => {
    const { statusCode = 0, headers: answered } = response
    const chunks: Buffer[] = []
    let bytes = 0
    const finish = () => {
      const answerStart = Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString('utf8')
      resolve({ kind: 'answered', statusCode, retryAfter: answered['retry-after'], answerStart })
      response.destroy()
    }
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= ANSWER_BYTES_MAX) finish()
    })
    response.once('end', finish)
    response.once('error', reject)
    response.once('aborted', () => reject(new Error('the answer was cut off')))
  })
  request.end(body)
  return promise
}
