/** The names and default values of the rate limits, and the format of the setting RATE_LIMITS. */
import type { Limit } from './token-bucket.ts'

const MINUTE_SECONDS = 60

export const DEFAULT_LIMITS = {
  /** Merchants' writes, for each api key. */
  write: { perSecond: 25, burst: 100 },
  /** Look-ups, for each api key. */
  lookup: { perSecond: 50, burst: 200 },
  /** The widget's checkout, for each IP address over all public keys. Counted before the body is read. */
  widget_caller: { perSecond: 1, burst: 60 },
  /** The widget's checkout, for each IP address and public key: 20 at once, then one every three seconds. */
  widget_address: { perSecond: 1 / 3, burst: 20 },
  /** The widget's checkout, for each public key from all addresses together. */
  widget_key: { perSecond: 25, burst: 100 },
  /** Kept for each public key while `widget_key` is used up: for networks that did not call in the last minute. */
  widget_new: { perSecond: 10, burst: 50 },
  /** Hosted pages, for each IP address. The limit is high, because a whole office may share one address. */
  page: { perSecond: 50, burst: 200 },
  /** Requests with a wrong api key, for each IP address: ten a minute. */
  failed_token: { perSecond: 10 / MINUTE_SECONDS, burst: 10 },
  /** Tries to sign in to the console, for each IP address. */
  sign_in: { perSecond: 1 / 10, burst: 20 },
  /** The same for each network: an IPv4 /24 or an IPv6 /48. */
  sign_in_network: { perSecond: 1 / 2, burst: 60 },
  /** Passkeys, for each IP address. Passwords have a limit of their own, so guesses of a password do not block passkeys. */
  sign_in_passkey: { perSecond: 1 / 2, burst: 60 },
  /**
   * Tries of a password, and of a code, for each person from all strangers together, and for each browser that has signed in as this
   * person before. Passkeys are not limited by it, because nobody guesses one.
   */
  sign_in_user: { perSecond: 1 / 120, burst: 10 },
  /** Requests of somebody who is signed in to the console, for each person. */
  person: { perSecond: 20, burst: 200 },
  /** Forms with files, such as pictures and statements, for each person. */
  person_files: { perSecond: 1 / 10, burst: 20 },
  /** Providers' callbacks, for each IP address. */
  callback: { perSecond: 50, burst: 200 },
  /** Callbacks that were not proved to be genuine, for each IP address and account. Each may cost a request to the provider. */
  callback_rejected: { perSecond: 1, burst: 60 },
  /** Declines of the orders that one IP address or one payment has: six at once, then one every ten minutes. */
  declines_address: { perSecond: 1 / 600, burst: 6 },
  /** Declines of cards with the same last four digits at one merchant. */
  declines_card: { perSecond: 1 / 600, burst: 6 },
  /** Declines at one merchant. When they are used up, callers who had a decline wait. */
  declines_shop: { perSecond: 1 / 20, burst: 60 },
  /** Buyers who return from a provider, for each IP address. Apart from `page`, because visits of other pages must not use it up. */
  return: { perSecond: 50, burst: 200 },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof DEFAULT_LIMITS
export type RateLimits = Record<LimitName, Limit>

/**
 * The limits that all processes share. `first`: a try is counted in the database before it goes on. `later`: each process counts, and
 * tells the others within a second. With any other limit, N processes together allow N times as much.
 */
export const SHARED: { readonly [Name in LimitName]?: 'first' | 'later' } = {
  sign_in: 'first',
  sign_in_network: 'first',
  sign_in_passkey: 'first',
  sign_in_user: 'first',
  failed_token: 'later',
  declines_address: 'later',
  declines_card: 'later',
  declines_shop: 'later',
}

const PART = /^([a-z_]+)=(\d+(?:\.\d+)?):(\d+)$/
const PER_SECOND_MAX = 1e6
const BURST_MAX = 1e6

/** Returns the defaults in the format of the setting, rounded to two digits. */
export function writeRateLimits(): string {
  const parts = Object.entries(DEFAULT_LIMITS).map(
    ([name, { perSecond, burst }]) => `${name}=${Number(perSecond.toPrecision(2))}:${burst}`,
  )
  return parts.join(',')
}

/**
 * Parses RATE_LIMITS. `off` returns null. A text such as `write=25:100,widget_address=0.34:20` replaces these defaults. The two
 * numbers are permits per second and burst.
 * @throws RangeError that says which part is wrong and what would be right
 */
export function parseRateLimits(text: string): RateLimits | null {
  if (text === 'off') return null
  const limits: RateLimits = { ...DEFAULT_LIMITS }
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name = '', perSecond, burst] = PART.exec(part.trim()) ?? []
    if (!Object.hasOwn(DEFAULT_LIMITS, name))
      throw new RangeError(
        `has the part "${part.trim()}", but each part must be NAME=PER_SECOND:BURST with one of the names ${Object.keys(DEFAULT_LIMITS).join(', ')}`,
      )
    const limit = { perSecond: Number(perSecond), burst: Number(burst) }
    if (
      limit.perSecond <= 0 ||
      limit.perSecond > PER_SECOND_MAX ||
      limit.burst < 1 ||
      limit.burst > BURST_MAX
    )
      throw new RangeError(
        `has the part "${part.trim()}", but both numbers must be above 0 and at most ${BURST_MAX}`,
      )
    limits[name as LimitName] = limit
  }
  return limits
}
