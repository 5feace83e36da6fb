/** Visits every value of parsed JSON without recursion, because deeply nested data could overflow the stack. */

/**
 * A property of an object or an element of a list. `name`: the property's name, or the index of an element (`isElement`). `parent`:
 * null at the top level, where `depth` is 1.
 */
export type Visited = {
  name: string
  isElement: boolean
  value: unknown
  depth: number
  parent: Visited | null
}

/**
 * Returns the values of each level before those below them. A list and no generator, because a generator takes nearly twice as
 * long, and the list can be used several times.
 */
export function walk(data: unknown): Visited[] {
  const all: Visited[] = []
  addFrom(data, null, all)
  // The list grows while it is read.
  for (const visited of all) addFrom(visited.value, visited, all)
  return all
}

function addFrom(holder: unknown, parent: Visited | null, all: Visited[]): void {
  if (!isHolder(holder)) return
  const isElement = Array.isArray(holder)
  const depth = (parent?.depth ?? 0) + 1
  for (const [name, value] of Object.entries(holder)) all.push({ name, isElement, value, depth, parent })
}

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Returns the dotted path, as the contract's `errors` names fields, or `root` for the data itself. It is calculated only for an
 * error. If it were calculated for each element below a long name, the time would grow with the square of the body.
 */
export function pathOf(visited: Visited | null, root: string): string {
  const names: string[] = []
  for (let each = visited; each; each = each.parent) names.unshift(each.name)
  return names.join('.') || root
}
