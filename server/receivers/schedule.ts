/** When an event is sent again. */

const JITTER = 0.1
/** A receiver may put the next attempt off by this much at the most. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000

/**
 * Milliseconds until the next attempt after `attempts` of them, or null when they are used up.
 * `delaysSeconds[n]` stands between attempt n and attempt n + 1; the first is the delay before the first attempt.
 * `random` in [0, 1) lengthens the wait by up to a tenth, so that receivers do not come back to a crowd.
 */
export function nextAttemptInMs(
  attempts: number,
  delaysSeconds: readonly number[],
  random: number,
): number | null {
  const delay = delaysSeconds[attempts]
  return delay === undefined ? null : Math.round(delay * 1000 * (1 + JITTER * random))
}

/** What a Retry-After header asks for, in milliseconds from `at`: seconds or an HTTP date, at most a day. 0: nothing. */
export function retryAfterMs(header: string | undefined, at: Date): number {
  const text = header?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - at.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}
