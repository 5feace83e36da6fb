/**
 * The limits room: token buckets, in memory or shared, and nothing of HTTP.
 *
 * A bucket holds `burst` tokens and gains `perSecond` of them, never more than `burst`. It is kept as one number, the
 * moment at which it will be full again; a full bucket is not kept at all. rate-limiter-flexible has no token bucket: its
 * burst limiter is two fixed windows side by side, which let through twice the sustained rate and refill all at once.
 */

/** Tokens for each second, and the most that a bucket holds. */
export type Limit = { perSecond: number; burst: number }

/** `waitMs`: until the next token, 0 where one was taken. `fullInMs`: until the bucket is full again. */
export type Taken = { remaining: number; waitMs: number; fullInMs: number }

export type Buckets = {
  /** Takes one token of the bucket `key`. Never throws. */
  take(key: string, limit: Limit): Taken | Promise<Taken>
  close(): void
}

/** Buckets that are not full, at most; each is about 200 bytes. The oldest beyond are forgotten, which is to fill them. */
const BUCKETS_MAX = 100_000
const SWEEP_FROM = 10_000
const MS_PER_SECOND = 1_000

/** `fullInMs`: what the bucket lacked before. */
export function takeToken(fullInMs: number, { perSecond, burst }: Limit): Taken {
  const tokenMs = MS_PER_SECOND / perSecond
  const after = fullInMs + tokenMs
  const waitMs = after - burst * tokenMs
  // Sums of fractions of a millisecond are not exact; a token that lacks less than that is whole.
  if (waitMs > 1e-3) return { remaining: 0, waitMs, fullInMs }
  return { remaining: Math.max(0, Math.floor(burst - after / tokenMs + 1e-6)), waitMs: 0, fullInMs: after }
}

/** `now`: milliseconds that only ever rise. Real time: how fast callers may call has nothing to do with the sandbox's calendar. */
export function createMemoryBuckets(now: () => number = () => performance.now()): Buckets {
  const fullAt = new Map<string, number>()
  let sweepAt = SWEEP_FROM

  function sweep(at: number): void {
    for (const [key, full] of fullAt) if (full <= at) fullAt.delete(key)
    for (const key of fullAt.keys()) {
      if (fullAt.size <= BUCKETS_MAX / 2) break
      fullAt.delete(key)
    }
    sweepAt = Math.max(SWEEP_FROM, fullAt.size * 2)
  }

  return {
    take(key, limit) {
      const at = now()
      const taken = takeToken(Math.max(0, (fullAt.get(key) ?? 0) - at), limit)
      if (taken.waitMs === 0) fullAt.set(key, at + taken.fullInMs)
      if (fullAt.size > sweepAt) sweep(at)
      return taken
    },
    close() {},
  }
}
