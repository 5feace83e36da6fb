/** Caches values of an account between calls in the memory of this process, such as an access token. */

export type AccountCache = {
  /**
   * Returns the cached value, or calls `make`. Concurrent callers share one call of `make`. A failure is not cached.
   */
  get<Value>(name: string, make: () => Promise<{ value: Value; lifetimeMs: number }>): Promise<Value>
  /** Removes a value that the provider no longer accepts. */
  drop(name: string): void
}

export function createAccountCache(nowMs: () => number): AccountCache {
  const entries = new Map<string, { made: Promise<{ value: unknown; until: number }> }>()
  return {
    async get<Value>(name: string, make: () => Promise<{ value: Value; lifetimeMs: number }>) {
      const known = entries.get(name)
      if (known) {
        const { value, until } = await known.made
        if (nowMs() < until) return value as Value
        if (entries.get(name) === known) entries.delete(name)
        else return this.get(name, make)
      }
      const fresh = {
        made: make().then(({ value, lifetimeMs }) => ({ value, until: nowMs() + lifetimeMs })),
      }
      entries.set(name, fresh)
      fresh.made.catch(() => entries.get(name) === fresh && entries.delete(name))
      return (await fresh.made).value as Value
    },
    drop: (name) => void entries.delete(name),
  }
}
