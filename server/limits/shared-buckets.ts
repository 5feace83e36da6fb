/**
 * Buckets that several processes share, in the database. Every process counts for itself as well, and its own count holds while the
 * database is away. Only the limits in SHARED are shared; every other limit is each process's own.
 */
import { createHash } from 'node:crypto'
import { type BucketStore, createExchange } from './exchange.ts'
import { type LimitName, SHARED } from './settings.ts'
import { type Buckets, createMemoryBuckets, type Limit, type Taken, takePermit } from './token-bucket.ts'

const MS_PER_SECOND = 1_000

export type SharedBuckets = Buckets & {
  /** Writes and reads what waits. It happens by itself within a second. */
  exchange(): Promise<void>
}

/**
 * `scope`: is put before each key of a world, so that the two worlds are counted separately. `onFailure`: the database is away.
 */
export function createSharedBuckets(
  store: BucketStore,
  { scope, onFailure }: { scope: string; onFailure(error: unknown): void },
): SharedBuckets {
  const memory = createMemoryBuckets()
  const digestOf = (key: string) =>
    createHash('sha256')
      .update(scope + key)
      .digest()
  const exchange = createExchange({ store, memory, digestOf, onFailure })

  async function takeFirst(key: string, limit: Limit, permits: number): Promise<Taken> {
    const own = memory.take(key, limit, permits)
    // The process's own count is never above the shared one.
    if (own.waitMs > 0) return own
    const permitMs = MS_PER_SECOND / limit.perSecond
    const ask = () => store.take(digestOf(key), permits * permitMs, limit.burst * permitMs)
    try {
      const shared = (await ask()) ?? (await ask())
      // The bucket has become full between the two.
      if (!shared) return own
      const { isTaken, fullInMs } = shared
      memory.raise(key, fullInMs)
      // The database counts in microseconds, so a bucket that has just been emptied may seem a little emptier.
      return isTaken ? { ...takePermit(fullInMs, limit, 0), waitMs: 0 } : takePermit(fullInMs, limit, permits)
    } catch (error) {
      onFailure(error)
      return own
    }
  }

  function takeLater(key: string, limit: Limit, permits: number): Taken {
    const own = memory.take(key, limit, permits)
    const permitMs = MS_PER_SECOND / limit.perSecond
    if (own.waitMs === 0) exchange.note(key, { ms: permits * permitMs, burstMs: limit.burst * permitMs })
    return own
  }

  return {
    take(key, limit, permits = 1) {
      const how = SHARED[key.slice(0, key.indexOf(' ')) as LimitName]
      if (how === 'first') return takeFirst(key, limit, permits)
      return how === 'later' ? takeLater(key, limit, permits) : memory.take(key, limit, permits)
    },
    exchange: exchange.run,
    close: exchange.close,
  }
}
