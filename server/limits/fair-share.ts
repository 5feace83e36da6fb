/**
 * Shares the permits of one public key among its callers, so that a few busy networks cannot use them up for everybody. Above
 * half of the permits nothing is restricted. Below half, each network (an IPv6 /48, an IPv4 address) gets no more than one
 * address would. When no permit is left, a reserve remains for networks that did not call in the last minute.
 */
import type { RateLimits } from './settings.ts'
import type { Buckets, Taken } from './token-bucket.ts'

/** A network counts as new again after a minute. */
const NEWCOMER = { perSecond: 1 / 60, burst: 1 }
const PRESSURE_BELOW = 0.5

type Shares = Pick<RateLimits, 'widget_key' | 'widget_new' | 'widget_address'>

export async function takeFairly(
  buckets: Buckets,
  limits: Shares,
  { key, network }: { key: string; network: string },
): Promise<Taken> {
  const shared = `widget_key ${key}`
  const newcomer = await buckets.take(`widget_seen ${network} ${key}`, NEWCOMER)
  const left = await buckets.take(shared, limits.widget_key, 0)
  if (left.remaining < limits.widget_key.burst * PRESSURE_BELOW) {
    const own = await buckets.take(`widget_network ${network} ${key}`, limits.widget_address)
    if (own.waitMs > 0) return own
  }
  const taken = await buckets.take(shared, limits.widget_key)
  if (taken.waitMs === 0 || newcomer.waitMs > 0) return taken
  const reserved = await buckets.take(`widget_new ${key}`, limits.widget_new)
  return reserved.waitMs === 0 ? { ...taken, waitMs: 0 } : taken
}
