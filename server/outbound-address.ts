/** Which addresses a callback URL may lead to: by its text when it is set, and by what its name resolves to at each connection. */
import { lookup, Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

export type Address = { address: string; family: number }
/** Every address that a name has now. */
export type ResolveName = (name: string) => Promise<Address[]>

/** Loopback, private, shared, link-local, documentation, benchmark, multicast, reserved; and what can wrap them. */
const INSIDE = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // A public number at which a cloud's machines reach their host.
  ['168.63.129.16', 32],
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

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Names that mean something only on this machine or in its network. */
const INSIDE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|arpa|onion)$/

export function isInside(address: string): boolean {
  if (isIP(address) === 4) return INSIDE.check(address, 'ipv4')
  return !OUTSIDE_IPV6.check(address, 'ipv6') || INSIDE.check(address, 'ipv6')
}

export function isLoopback(address: string): boolean {
  const family = isIP(address)
  return family > 0 && LOOPBACK.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Whether a host's name can be a public one; addresses, in any spelling that a URL can have, are none. */
export function isPublicName(host: string): boolean {
  const name = host.replace(/\.$/, '')
  return isIP(name) === 0 && !name.startsWith('[') && name.includes('.') && !INSIDE_NAME.test(name)
}

const DNS_TIMEOUT_MS = 3_000
const DNS_TRIES = 2

/**
 * Asks the name servers themselves. The system's own look-up has four threads for the whole process: four names whose
 * servers do not answer would keep all other merchants waiting.
 */
export const resolvePublicName: ResolveName = async (name) => {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  )
  const [first] = answers
  if (found.length === 0 && first?.status === 'rejected') throw first.reason
  return found
}

/** As the machine itself does it, with its hosts file: for the names that the operator allowed. */
export const resolveLocalName: ResolveName = (name) => lookup(name, { all: true, order: 'ipv4first' })
