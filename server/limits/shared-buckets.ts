/** Token buckets in Redis or Valkey, so that several processes share their rate limits. Without it each process counts alone. */
import type { Redis } from 'ioredis'
import type { Log } from '../log/log.ts'
import { type Buckets, createMemoryBuckets, type Taken, takePermit } from './token-bucket.ts'

const KEY_PREFIX = 'kassa:limit:'
const COMMAND_TIMEOUT_MS = 250
const CONNECT_TIMEOUT_MS = 2_000
const RECONNECT_MAX_MS = 2_000
/** After a failure the buckets in memory are used for this long, so that a hanging Redis does not slow down every request. */
const PAUSE_MS = 1_000

/**
 * Calculates the same as `takePermit`, with Redis's own clock. The key stores when the bucket will be full, in milliseconds since
 * the epoch. The script returns how many milliseconds the bucket was from full before this call. It returns them as text,
 * because Redis cuts the fraction off numbers.
 */
const TAKE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local before = math.max(0, tonumber(redis.call('GET', KEYS[1]) or now) - now)
  local after = before + tonumber(ARGV[1])
  if after - tonumber(ARGV[2]) <= 0.001 then
    redis.call('SET', KEYS[1], string.format('%.3f', now + after), 'PX', math.ceil(after) + 1)
  end
  return string.format('%.3f', before)`

/** @throws Error if Redis does not answer in time, or rejects the connection */
export async function tryRedis(url: string): Promise<void> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: () => null,
  })
  let reason: Error | null = null
  redis.on('error', (error: Error) => {
    reason ??= error
  })
  try {
    await redis.connect()
    await redis.ping()
  } catch (error) {
    // The error event has the cause. The rejection often says only that the connection is closed.
    throw reason ?? error
  } finally {
    redis.disconnect()
  }
}

type RedisWithScript = Redis & { takePermit(key: string, takenMs: number, burstMs: number): Promise<string> }

/**
 * Connects to Redis at the first request. While Redis cannot be reached, each process uses its own buckets, so no request
 * fails. `scope` is put before every key, so that the two worlds are counted separately.
 */
export function createSharedBuckets(url: string, log: Log, scope = ''): Buckets {
  const memory = createMemoryBuckets()
  let opened: Promise<RedisWithScript> | undefined
  let away = false
  let pausedUntil = 0

  /** Logs once when Redis cannot be reached any more. The failing reconnections after that are not logged. */
  function onFailure(error: Error): void {
    pausedUntil = performance.now() + PAUSE_MS
    if (away) return
    away = true
    log.warn({ err: error }, 'redis is away: each process counts its rate limits for itself')
  }

  async function open(): Promise<RedisWithScript> {
    // Loaded with the first request, because many services have no Redis.
    const { Redis } = await import('ioredis')
    const redis = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      commandTimeout: COMMAND_TIMEOUT_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, RECONNECT_MAX_MS),
      scripts: { takePermit: { lua: TAKE, numberOfKeys: 1 } },
    }) as RedisWithScript
    redis.on('error', onFailure)
    return redis
  }

  async function takeShared(key: string, takenMs: number, burstMs: number): Promise<number> {
    opened ??= open()
    const redis = await opened
    if (redis.status === 'wait') await redis.connect()
    const fullInMs = Number(await redis.takePermit(KEY_PREFIX + scope + key, takenMs, burstMs))
    if (away) log.info('redis is back: rate limits are shared again')
    away = false
    return fullInMs
  }

  return {
    async take(key, limit, permits = 1): Promise<Taken> {
      if (performance.now() < pausedUntil) return memory.take(key, limit, permits)
      const permitMs = 1_000 / limit.perSecond
      try {
        const fullInMs = await takeShared(key, permits * permitMs, permitMs * limit.burst)
        return takePermit(fullInMs, limit, permits)
      } catch (error) {
        onFailure(error as Error)
        return memory.take(key, limit, permits)
      }
    },
    close: () => void opened?.then((redis) => redis.disconnect()),
  }
}
