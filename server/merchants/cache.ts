/**
 * Look-ups of merchants, tokens, installations and products, kept for under a second. That is long enough to take them
 * off the hot path, and short enough that a revocation is felt within a second on every process without any message.
 */
const CACHE_MS = 800
const ENTRIES_MAX = 10_000

type Entry<Value> = { until: number; value: Promise<Value> }

/**
 * Wraps a look-up by text keys. Concurrent callers for one key share one question; a failed look-up is not kept.
 * Real time, not the context's clock: how stale an answer may be has nothing to do with the sandbox's calendar.
 */
export function cached<Source extends object, Value>(
  load: (ctx: Source, ...keys: string[]) => Promise<Value>,
) {
  const stores = new WeakMap<Source, Map<string, Entry<Value>>>()
  return (ctx: Source, ...keys: string[]): Promise<Value> => {
    const entries = stores.get(ctx) ?? new Map<string, Entry<Value>>()
    stores.set(ctx, entries)
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
