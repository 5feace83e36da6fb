/** Goes through parsed JSON without recursion: it may be nested deeper than the stack. */

/**
 * One property or element. `name`: the property's name or the element's place; `isElement` tells which. `parent`: what holds it;
 * null for what the data holds directly, where `depth` is 1.
 */
export type Visited = {
  name: string
  isElement: boolean
  value: unknown
  depth: number
  parent: Visited | null
}

export function* walk(data: unknown): Generator<Visited> {
  const waiting: { value: unknown; visited: Visited | null }[] = [{ value: data, visited: null }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: holder, visited: parent } = next
    if (!isHolder(holder)) continue
    const isElement = Array.isArray(holder)
    const depth = (parent?.depth ?? 0) + 1
    for (const [name, value] of Object.entries(holder)) {
      const visited = { name, isElement, value, depth, parent }
      yield visited
      if (isHolder(value)) waiting.push({ value, visited })
    }
  }
}

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * The dotted path, as the contract's `errors` names fields; `root` for what has no path. It is written only for a refusal:
 * written for each element below a long name, the paths alone would take time that grows with the square of the body.
 */
export function pathOf(visited: Visited | null, root: string): string {
  const names: string[] = []
  for (let each = visited; each; each = each.parent) names.unshift(each.name)
  return names.join('.') || root
}
