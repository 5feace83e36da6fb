/** Which proxies are trusted to report a caller's IP address, and the format of the setting TRUST_PROXY. */
import { isIP } from 'node:net'

/** False: no proxy is trusted. A number: exactly this many proxies. A list: the proxies at these IP addresses. */
export type TrustProxy = false | number | string[]

const HOPS = /^\d{1,2}$/

/**
 * Parses TRUST_PROXY, such as `1` or `10.0.0.0/8,192.0.2.7`. "Everybody" is not allowed, because then any caller could choose the
 * IP address whose rate limit applies.
 * @throws RangeError
 */
export function parseTrustProxy(text: string): TrustProxy {
  if (HOPS.test(text)) return Number(text) || false
  const ranges = text.split(',').map((part) => part.trim())
  const wrong = ranges.find((range) => !isRange(range))
  if (wrong === undefined) return ranges
  throw new RangeError(`must be the number of proxies, or their addresses such as 10.0.0.0/8; not "${wrong}"`)
}

function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return (
    bits === undefined ||
    (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= (version === 4 ? 32 : 128))
  )
}
