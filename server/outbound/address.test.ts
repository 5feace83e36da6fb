/**
 * The table of addresses that are not public, at both edges of every range. The ranges are those of IANA's registries of special
 * addresses, written here as first and last address, so that a lost or shortened row of the table is found.
 */
import { isIPv4 } from 'node:net'
import { describe, expect, test } from 'vitest'
import { isInside } from './address.ts'
import { createOutbound } from './outbound.ts'

/** First and last address, then the public ones just outside, as far as there are any. */
const RANGES_IPV4 = [
  ['0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255'],
]
const ONES = 'ffff:ffff:ffff:ffff:ffff:ffff'
const RANGES_IPV6 = [
  ['::', `1fff:ffff:${ONES}`, '2000::'],
  ['2001::', `2001:1ff:${ONES}`, `2000:ffff:${ONES}`, '2001:200::'],
  ['2001:db8::', `2001:db8:${ONES}`, `2001:db7:${ONES}`, '2001:db9::'],
  ['2002::', `2002:ffff:${ONES}`, `2001:ffff:${ONES}`, '2003::'],
  ['3fff::', `3fff:fff:${ONES}`, `3ffe:ffff:${ONES}`, '3fff:1000::'],
  ['4000::', `ffff:ffff:${ONES}`, `3fff:ffff:${ONES}`],
]

const RANGES = [...RANGES_IPV4, ...RANGES_IPV6].map(([first = '', last = '', ...outside]) => ({
  first,
  last,
  outside,
}))
/** Addresses inside that other systems reach by a range's middle, or by a way around it. */
const KNOWN_INSIDE = ['127.0.0.1', '169.254.169.254', '::1', 'fe80::1', 'fd00:ec2::254', '64:ff9b::7f00:1']
const KNOWN_PUBLIC = ['1.1.1.1', '93.184.216.34', '2606:4700::1111', '2a00::1']

/** An IPv4 address as a URL allows it: hexadecimal, octal, as one number, in short, and inside of IPv6. */
function spellingsOf(address: string): string[] {
  if (!isIPv4(address)) return [`[${address}]`, `[${address.toUpperCase()}]`, `[${unfolded(address)}]`]
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const octal = (part: number) => `0${part.toString(8)}`
  return [
    address,
    `${address}.`,
    String(number),
    `0x${number.toString(16)}`,
    octal(number),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map((part) => `0x${part.toString(16)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replaceAll('.', '。'),
    [...address].map((each) => `%${each.charCodeAt(0).toString(16)}`).join(''),
  ]
}

/** The IPv6 addresses that carry an IPv4 address: mapped, compatible, NAT64 and 6to4. */
function carriersOf(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const halves = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  return [
    `::ffff:${address}`,
    `::ffff:${halves}`,
    `0:0:0:0:0:FFFF:${halves}`,
    `::${halves}`,
    `64:ff9b::${halves}`,
    `2002:${halves}::`,
  ]
}

/** All eight groups, each with four digits. */
function unfolded(address: string): string {
  const [before = '', after = ''] = address.split('::')
  const [left, right] = [before, after].map((part) => part.split(':').filter(Boolean))
  const missing = Array<string>(8 - (left?.length ?? 0) - (right?.length ?? 0)).fill('0')
  return [...(left ?? []), ...missing, ...(right ?? [])].map((group) => group.padStart(4, '0')).join(':')
}

test.each(RANGES)(
  '$first to $last is inside at both edges, and its neighbours are public',
  ({ first, last, outside }) => {
    expect([first, last].map((address) => [address, isInside(address)])).toEqual([
      [first, true],
      [last, true],
    ])
    expect(outside.filter(isInside)).toEqual([])
  },
)

test('known addresses are on their side', () => {
  expect(KNOWN_INSIDE.filter((address) => !isInside(address))).toEqual([])
  expect(KNOWN_PUBLIC.filter(isInside)).toEqual([])
})

describe('every spelling', () => {
  const edges = RANGES.flatMap(({ first, last }) => [first, last])
  const outbound = createOutbound([])

  test('of an edge is read as that edge, and rejected as a callback URL', () => {
    for (const address of edges)
      for (const spelling of spellingsOf(address)) {
        const { hostname } = new URL(`https://${spelling}/`)
        expect([spelling, isInside(hostname.replace(/^\[|\]$/g, ''))]).toEqual([spelling, true])
        expect(() => outbound.checkUrl(`https://${spelling}/`), spelling).toThrow('must name a public host')
      }
  })

  test('that a name server may return is inside: longer, in capitals, or an IPv4 address inside of IPv6', () => {
    const texts = edges.flatMap((address) =>
      isIPv4(address) ? carriersOf(address) : [address.toUpperCase(), unfolded(address)],
    )
    expect(texts.filter((text) => !isInside(text))).toEqual([])
  })

  test('that a name resolves to is not connected to, however many public addresses stand beside it', async () => {
    for (const address of edges) {
      const found = ['93.184.216.34', address].map((each) => ({
        address: each,
        family: isIPv4(each) ? 4 : 6,
      }))
      const { post } = createOutbound([], { resolveName: async () => found })
      const answer = await post('https://shop.example/', { headers: {}, body: '', timeoutMs: 1_000 })
      expect(answer).toEqual({
        kind: 'failed',
        message: expect.stringContaining(`resolves to ${address}, which is not`),
      })
    }
  })
})
