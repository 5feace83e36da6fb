/** Finds the address and network of a caller. Behind the proxies that TRUST_PROXY names, Express finds the address. */
import { isIPv4, isIPv6 } from 'node:net'
import type { Request } from 'express'

const GROUPS = 8
const HOUSEHOLD_GROUPS = 4
const NETWORK_GROUPS = 3

/** The caller's address. For IPv6 only the /64 counts, because a household owns the whole /64 and can use any address in it. */
export function addressOf(request: Request): string {
  return householdOf(request.ip ?? '')
}

/** Returns the same for the address of a connection. */
export function householdOf(address: string): string {
  return prefixOf(address, HOUSEHOLD_GROUPS)
}

/** Returns the caller's network: the /48 of an IPv6 address, which one customer of a hosting company may own, or the IPv4 address. */
export function networkOf(request: Request): string {
  return prefixOf(request.ip ?? '', NETWORK_GROUPS)
}

/** Returns the first `groups` groups (of 16 bits each) of an IPv6 address, or the whole IPv4 address. */
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
