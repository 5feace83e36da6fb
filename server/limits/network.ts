/**
 * The address of a caller: which proxies may report it (the setting TRUST_PROXY), and the networks to which it belongs. Somebody who has one
 * address of a network may have them all.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { z } from 'zod'

const GROUPS = 8
const HOUSEHOLD_GROUPS = 4
const NETWORK_GROUPS = 3

/** An address. For IPv6 only the /64 counts, because a household has all of it and can pick any address inside. */
export function householdOf(address: string): string {
  return prefixOf(address, HOUSEHOLD_GROUPS)
}

/** An IPv4 address, or the /48 of an IPv6 address, because one customer of a hosting company may have a whole /48. */
export function customerOf(address: string): string {
  return prefixOf(address, NETWORK_GROUPS)
}

/**
 * Neighbours of an address or of a household: an IPv4 /24 or an IPv6 /48. One customer rents the whole network, and addresses inside it
 * change while people work.
 */
export function networkOf(address: string): string {
  const prefix = customerOf(address)
  return isIPv4(prefix) ? prefix.replace(/\.\d+$/, '.0/24') : prefix
}

/** `groups`: how many groups of 16 bits of an IPv6 address count. */
function prefixOf(given: string, groups: number): string {
  const address = withoutPort(given).replace(/\/\d+$/, '')
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

/** False: no proxy is trusted. A number: exactly this many proxies. A list: the proxies at these IP addresses. */
type TrustProxy = false | number | string[]

const HOPS = /^\d{1,2}$/
/** One IP address, or a range of them. A range of all addresses is not allowed. */
const RANGE = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).refine((text) => !text.endsWith('/0'))

/**
 * Parses TRUST_PROXY, such as `1` or `10.0.0.0/8,192.0.2.7`. "Everybody" is not allowed, because then any caller could choose the
 * IP address whose rate limit applies.
 * @throws RangeError
 */
export function parseTrustProxy(text: string): TrustProxy {
  if (HOPS.test(text)) return Number(text) || false
  const ranges = text.split(',').map((part) => part.trim())
  const wrong = ranges.find((range) => !RANGE.safeParse(range).success)
  if (wrong === undefined) return ranges
  throw new RangeError(`must be the number of proxies, or their addresses such as 10.0.0.0/8; not "${wrong}"`)
}
