/** When an event is sent again. */

const JITTER = 0.1

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
