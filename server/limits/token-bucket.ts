/**
 * The limits room: token buckets for rate limits, in memory or shared. It contains no HTTP and no SQL.
 *
 * A bucket starts with `burst` permits and gains `perSecond` permits each second, up to `burst`. It is stored as one number: the
 * time at which it will be full again. A full bucket is not stored. We do not use rate-limiter-flexible, because it has no token
 * bucket. Its burst limiter is two fixed windows, which allow twice the sustained rate and refill all at once.
 */

/** Permits for each second, and the largest number of permits in a bucket. */
export type Limit = { perSecond: number; burst: number }

/** `waitMs`: the time until the next permit; 0 if a permit was given out. `fullInMs`: the time until the bucket is full. */
export type Taken = { remaining: number; waitMs: number; fullInMs: number }

export type Buckets = {
  /** Takes permits from the bucket `key`, one unless `permits` says so. 0 only looks at the bucket. Never throws. */
  take(key: string, limit: Limit, permits?: number): Taken | Promise<Taken>
  close(): void
}

/** Buckets that answer at once. */
export type MemoryBuckets = Omit<Buckets, 'take'> & {
  take(key: string, limit: Limit, permits?: number): Taken
  /** Others have taken permits too: the bucket is full in this time, or later. */
  raise(key: string, fullInMs: number): void
}

/** The largest number of buckets in memory, about 200 bytes each. Beyond it the oldest are deleted, which makes them full. */
const BUCKETS_MAX = 100_000
const SWEEP_FROM = 10_000
const MS_PER_SECOND = 1_000

/** Takes permits if the bucket has them. `fullInMs`: the time until the bucket would have been full before this call. */
export function takePermit(fullInMs: number, { perSecond, burst }: Limit, permits = 1): Taken {
  const permitMs = MS_PER_SECOND / perSecond
  const after = fullInMs + permits * permitMs
  const waitMs = after - burst * permitMs
  // Adding fractions of a millisecond is not exact, so a wait of up to a microsecond counts as none.
  if (waitMs > 1e-3) return { remaining: 0, waitMs, fullInMs }
  return { remaining: Math.max(0, Math.floor(burst - after / permitMs + 1e-6)), waitMs: 0, fullInMs: after }
}

/** `now`: milliseconds that never go back. They are real time, because the sandbox's clock must not change the rate limits. */
export function createMemoryBuckets(now: () => number = () => performance.now()): MemoryBuckets {
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
    take(key, limit, permits = 1) {
      const at = now()
      const taken = takePermit(Math.max(0, (fullAt.get(key) ?? 0) - at), limit, permits)
      if (permits > 0 && taken.waitMs === 0) fullAt.set(key, at + taken.fullInMs)
      if (fullAt.size > sweepAt) sweep(at)
      return taken
    },
    raise(key, fullInMs) {
      const at = now()
      if (fullInMs > 0) fullAt.set(key, Math.max(fullAt.get(key) ?? 0, at + fullInMs))
      if (fullAt.size > sweepAt) sweep(at)
    },
    close() {},
  }
}
