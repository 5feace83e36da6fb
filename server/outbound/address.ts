/** Decides which addresses a callback URL may use: by its text when it is set, and by its resolved addresses at each connection. */
import { lookup, Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

export type Address = { address: string; family: number }
/** Returns every address that a name has now. */
export type ResolveName = (name: string) => Promise<Address[]>

/** Loopback, private, shared, link-local, documentation, benchmark, multicast and reserved addresses, and those that can embed them. */
const INSIDE = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // A public address at which virtual machines in Azure reach their host.
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
/** Of IPv6 only global unicast is public, except for ranges of it that embed an IPv4 address or are not routed. */
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

/** Unspecified addresses too: a connection to them reaches this machine. `::/96` has `::`, `::1` and the IPv4 addresses in IPv6. */
const THIS_MACHINE = new BlockList()
THIS_MACHINE.addSubnet('127.0.0.0', 8, 'ipv4')
THIS_MACHINE.addSubnet('0.0.0.0', 8, 'ipv4')
THIS_MACHINE.addSubnet('::', 96, 'ipv6')
const NAME_OF_THIS_MACHINE = /(^|\.)(localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$/

/** Names that exist only on this machine or in its network. */
const INSIDE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|arpa|onion)$/

export function isInside(address: string): boolean {
  if (isIP(address) === 4) return INSIDE.check(address, 'ipv4')
  return !OUTSIDE_IPV6.check(address, 'ipv6') || INSIDE.check(address, 'ipv6')
}

export function isLoopback(address: string): boolean {
  const family = isIP(address)
  return family > 0 && LOOPBACK.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Returns whether a host of a URL is this machine, in any spelling. A name that only the machine's hosts file knows is not found. */
export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  return family > 0
    ? THIS_MACHINE.check(host, family === 4 ? 'ipv4' : 'ipv6')
    : NAME_OF_THIS_MACHINE.test(host.replace(/\.$/, ''))
}

/** Returns whether this can be a public host name. An IP address is not one, in any spelling that a URL allows. */
export function isPublicName(host: string): boolean {
  const name = host.replace(/\.$/, '')
  return isIP(name) === 0 && !name.startsWith('[') && name.includes('.') && !INSIDE_NAME.test(name)
}

const DNS_TIMEOUT_MS = 3_000
const DNS_TRIES = 2

/** How long the second answer is waited for when the first has addresses: some name servers never answer questions for IPv6. */
const RESOLUTION_DELAY_MS = 250

/**
 * Asks the name servers directly. The system's look-up has only four threads for the whole process, so four names whose servers
 * do not respond would block the look-ups of all other merchants.
 */
export const resolvePublicName: ResolveName = async (name) => {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES })
  const answers = [
    resolver.resolve4(name).then((found) => found.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(name).then((found) => found.map((address) => ({ address, family: 6 }))),
  ]
  return withinDelay(answers, RESOLUTION_DELAY_MS).finally(() => resolver.cancel())
}

/**
 * Returns the addresses of all answers that arrive until `delayMs` after the first one that has addresses. An address that arrives
 * later is not used. @throws the first answer's error if no answer has an address
 */
export async function withinDelay(answers: Promise<Address[]>[], delayMs: number): Promise<Address[]> {
  const found: Address[] = []
  const { promise: late, resolve: stop } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const take = (addresses: Address[]) => {
    found.push(...addresses)
    if (addresses.length > 0) timer ??= setTimeout(stop, delayMs)
  }
  const settled = Promise.allSettled(answers.map((answer) => answer.then(take)))
  await Promise.race([settled, late])
  clearTimeout(timer)
  const [first] = answers
  if (found.length === 0) await first
  return [...found]
}

/** Resolves as the machine does, with its hosts file. For names that the operator allowed. */
export const resolveLocalName: ResolveName = (name) => lookup(name, { all: true, order: 'ipv4first' })
