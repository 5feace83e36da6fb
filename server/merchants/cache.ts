/**
 * Caches look-ups of merchants, tokens, installations and products for less than a second. That keeps them off the hot path,
 * and every process still notices a revocation within a second without any message.
 */
const CACHE_MS = 800
const ENTRIES_MAX = 10_000

type Entry<Value> = { until: number; value: Promise<Value> }

/**
 * Wraps a look-up by text keys. Concurrent callers with the same key share one query. A failed look-up is not cached.
 * Uses real time and not the context's clock, because moving the sandbox clock must not change how long an entry lives.
 */
export function cached<Source extends object, Value>(
  load: (ctx: Source, ...keys: string[]) => Promise<Value>,
) {
  const stores = new WeakMap<Source, Map<string, Entry<Value>>>()
  return (ctx: Source, ...keys: string[]): Promise<Value> => {
    const entries = stores.get(ctx) ?? new Map<string, Entry<Value>>()
    if (entries.size === 0) stores.set(ctx, entries)
    const at = keys.join('\n')
    const now = performance.now()
    const known = entries.get(at)
    if (known && known.until > now) return known.value
    if (entries.size >= ENTRIES_MAX) entries.clear()
    const entry = { until: now + CACHE_MS, value: load(ctx, ...keys) }
    entries.set(at, entry)
    entry.value.catch(() => entries.get(at) === entry && entries.delete(at))
    return entry.value
  }
}
