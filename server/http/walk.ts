/** Goes through parsed JSON without recursion: it may be nested deeper than the stack. */

/** One property or element. `path` is dotted, as the contract's `errors` names fields; `parent` is the holder's. */
export type Visited = { path: string; parent: string; key: string | null; value: unknown }

export function* walk(data: unknown, root = ''): Generator<Visited> {
  const waiting: { path: string; value: unknown }[] = [{ path: root, value: data }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    const isList = Array.isArray(next.value)
    for (const [key, value] of Object.entries(next.value)) {
      const path = next.path === '' ? key : `${next.path}.${key}`
      yield { path, parent: next.path, key: isList ? null : key, value }
      waiting.push({ path, value })
    }
  }
}
