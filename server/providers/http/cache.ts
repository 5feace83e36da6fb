/** What an account keeps in this process's memory between calls: an access token, say. */

export type AccountCache = {
  /**
   * Returns the value under this name, or makes it. Callers at the same time share one `make`. A value that could not be
   * made is not kept.
   */
  get<Value>(name: string, make: () => Promise<{ value: Value; lifetimeMs: number }>): Promise<Value>
  /** For a value that the provider no longer accepts. */
  drop(name: string): void
}

export function createAccountCache(nowMs: () => number): AccountCache {
  const kept = new Map<string, { made: Promise<{ value: unknown; until: number }> }>()
  return {
    async get<Value>(name: string, make: () => Promise<{ value: Value; lifetimeMs: number }>) {
      const known = kept.get(name)
      if (known) {
        const { value, until } = await known.made
        if (nowMs() < until) return value as Value
        if (kept.get(name) === known) kept.delete(name)
        else return this.get(name, make)
      }
      const fresh = {
        made: make().then(({ value, lifetimeMs }) => ({ value, until: nowMs() + lifetimeMs })),
      }
      kept.set(name, fresh)
      fresh.made.catch(() => kept.get(name) === fresh && kept.delete(name))
      return (await fresh.made).value as Value
    },
    drop: (name) => void kept.delete(name),
  }
}
