/** When an event is sent again. */

const JITTER = 0.1
/** A receiver can delay the next attempt by at most this time. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000

/**
 * Returns the milliseconds until the next attempt, or null if no attempt is left. `attempts`: how many were made.
 * `delaysSeconds[n]` is the delay between attempt n and attempt n + 1. The first is the delay before the first attempt.
 * `random` in [0, 1) adds up to a tenth, so that a receiver that recovers does not get all retries at once.
 */
export function nextAttemptInMs(
  attempts: number,
  delaysSeconds: readonly number[],
  random: number,
): number | null {
  const delay = delaysSeconds[attempts]
  return delay === undefined ? null : Math.round(delay * 1000 * (1 + JITTER * random))
}

/** Returns the delay of a Retry-After header (seconds or an HTTP date) in milliseconds from `at`, at most a day. 0 without one. */
export function retryAfterMs(header: string | undefined, at: Date): number {
  const text = header?.trim() ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - at.getTime()
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}
