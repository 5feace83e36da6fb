/** Token buckets in Redis or Valkey, so that several processes count together. Without it, each counts for itself. */
import { Redis } from 'ioredis'
import type { Log } from '../log.ts'
import { type Buckets, createMemoryBuckets, type Taken, takeToken } from './token-bucket.ts'

const KEY_PREFIX = 'kassa:limit:'
const COMMAND_TIMEOUT_MS = 250
const CONNECT_TIMEOUT_MS = 2_000
const RECONNECT_MAX_MS = 2_000
/** After a failure memory serves for so long, so that a Redis that hangs does not slow every request. */
const PAUSE_MS = 1_000

/**
 * The same sum as `takeToken`, by Redis's own clock: the key holds when the bucket will be full, in milliseconds since
 * the epoch. Answers what the bucket lacked before, as text, as Redis cuts fractions off numbers.
 */
const TAKE = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  local lacks = math.max(0, tonumber(redis.call('GET', KEYS[1]) or now) - now)
  local after = lacks + tonumber(ARGV[1])
  if after - tonumber(ARGV[2]) <= 0.001 then
    redis.call('SET', KEYS[1], string.format('%.3f', now + after), 'PX', math.ceil(after) + 1)
  end
  return string.format('%.3f', lacks)`

type Scripted = Redis & { takeToken(key: string, tokenMs: number, fullMs: number): Promise<string> }

/** `scope` stands before every key, so that two worlds count apart. Nothing is connected before the first take. While Redis is away nobody is refused because of it. */
export function createSharedBuckets(url: string, log: Log, scope = ''): Buckets {
  const memory = createMemoryBuckets()
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, RECONNECT_MAX_MS),
    scripts: { takeToken: { lua: TAKE, numberOfKeys: 1 } },
  }) as Scripted
  let away = false
  let pausedUntil = 0

  /** One line for each time it goes, and one when it is back. Connecting fails again and again in between. */
  function lose(error: Error): void {
    pausedUntil = performance.now() + PAUSE_MS
    if (away) return
    away = true
    log.warn({ err: error }, 'redis is away: each process counts its rate limits for itself')
  }
  redis.on('error', lose)

  async function ask(key: string, tokenMs: number, fullMs: number): Promise<number> {
    if (redis.status === 'wait') await redis.connect()
    const lacks = Number(await redis.takeToken(KEY_PREFIX + scope + key, tokenMs, fullMs))
    if (away) log.info('redis is back: rate limits are shared again')
    away = false
    return lacks
  }

  return {
    async take(key, limit): Promise<Taken> {
      if (performance.now() < pausedUntil) return memory.take(key, limit)
      const tokenMs = 1_000 / limit.perSecond
      try {
        return takeToken(await ask(key, tokenMs, tokenMs * limit.burst), limit)
      } catch (error) {
        lose(error as Error)
        return memory.take(key, limit)
      }
    },
    close: () => redis.disconnect(),
  }
}
