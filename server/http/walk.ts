/** Goes through parsed JSON without recursion: it may be nested deeper than the stack. */

/**
 * One property or element. `path` is dotted, as the contract's `errors` names fields; `parent` is the holder's. `key` is
 * null for an element of a list. `depth` is 1 for what the data holds directly.
 */
export type Visited = { path: string; parent: string; key: string | null; value: unknown; depth: number }

export function* walk(data: unknown, root = ''): Generator<Visited> {
  const waiting = [{ path: root, value: data, depth: 1 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    const isList = Array.isArray(next.value)
    for (const [key, value] of Object.entries(next.value)) {
      const path = next.path === '' ? key : `${next.path}.${key}`
      yield { path, parent: next.path, key: isList ? null : key, value, depth: next.depth }
      waiting.push({ path, value, depth: next.depth + 1 })
    }
  }
}
