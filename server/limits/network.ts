/** The networks to which an address belongs. Whoever has one of its addresses may have them all. */
import { isIPv4, isIPv6 } from 'node:net'

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
 * Neighbours of an address or of a household: an IPv4 /24 or an IPv6 /48. Whoever rents such a network has all of its addresses, and
 * within it addresses change while people work.
 */
export function networkOf(address: string): string {
  const prefix = customerOf(address)
  return isIPv4(prefix) ? prefix.replace(/\.\d+$/, '.0/24') : prefix
}

/** `groups`: how many groups of 16 bits of an IPv6 address count. */
export function prefixOf(given: string, groups: number): string {
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
