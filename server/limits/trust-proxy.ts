/** Which proxies are trusted to report a caller's IP address, and the format of the setting TRUST_PROXY. */
import { z } from 'zod'

/** False: no proxy is trusted. A number: exactly this many proxies. A list: the proxies at these IP addresses. */
export type TrustProxy = false | number | string[]

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
