/** Finds the address and network of a caller. Behind the proxies that TRUST_PROXY names, Express finds the address. */
import { isIPv4, isIPv6 } from 'node:net'
import type { Request } from 'express'

/**
 * Whether the caller's request came over https. Express reads X-Forwarded-Proto, but only from the proxies that TRUST_PROXY names, and
 * it reads the first value, which a caller may have written. So every proxy on the way has to say https.
 */
export function isSecure(request: Request): boolean {
  const said = String(request.headers['x-forwarded-proto'] ?? 'https').split(',')
  return request.secure && said.every((each) => each.trim().toLowerCase() === 'https')
}

const GROUPS = 8
const HOUSEHOLD_GROUPS = 4
const NETWORK_GROUPS = 3

/** `address`: of one household. `network`: for IPv6 the /48, because one customer of a hosting company may have a whole /48. */
export function callerOf(request: Request): { address: string; network: string } {
  // Express finds the address anew each time.
  const ip = request.ip ?? ''
  return { address: householdOf(ip), network: prefixOf(ip, NETWORK_GROUPS) }
}

/** An address. For IPv6 only the /64 counts, because a household has all of it and can pick any address inside. */
export function householdOf(address: string): string {
  return prefixOf(address, HOUSEHOLD_GROUPS)
}

/** Neighbours of an address: an IPv4 /24 or an IPv6 /48. Whoever rents one such network has all of its addresses. */
export function blockOf(request: Request): string {
  const prefix = prefixOf(request.ip ?? '', NETWORK_GROUPS)
  return isIPv4(prefix) ? prefix.replace(/\.\d+$/, '.0/24') : prefix
}

/** `groups`: how many groups of 16 bits of an IPv6 address count. */
export function prefixOf(given: string, groups: number): string {
  const address = withoutPort(given)
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = withoutZone(address).split('::')
  const first = head.split(':').filter(Boolean)
  const last = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array(Math.max(0, GROUPS - first.length - last.length)).fill('0')
  const prefix = [...first, ...zeros, ...last]
    .slice(0, groups)
    .map((group) => Number.parseInt(group, 16).toString(16))
  return `${prefix.join(':')}::/${groups * 16}`
}

const withoutZone = (address: string) => address.split('%')[0] ?? ''

/** Some proxies write `192.0.2.7:51234` or `[2001:db8::1]:51234`. With the port, each connection would be a new caller. */
function withoutPort(given: string): string {
  const text = given.trim()
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1]
  if (bracketed !== undefined) return bracketed
  const [host = '', port, ...rest] = text.split(':')
  return rest.length === 0 && port !== undefined && isIPv4(host) ? host : text
}
