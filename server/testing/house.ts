/** Reads the imports of files and finds cycles, for the test of which room may import which. */
import { dirname, join, normalize } from 'node:path'

export type Room = { rooms?: string[]; types?: string[]; packages?: string[] }

/** `target`: a path from the project's root for a file of the project, else the package's name as written. */
export type Import = { from: string; target: string; typeOnly: boolean }

/** Returns the room of a file: its folder in server/. payments/ and providers/ contain several rooms. */
export function roomOf(file: string): string {
  const [, room = '', family, ...rest] = file.replace(/\.ts$/, '').split('/')
  if (room === 'providers') return `providers/${family}`
  if (room === 'payments' && rest.length > 0) return `payments/${family}`
  return room
}

export function importsOf(file: string, text: string): Import[] {
  const pattern = /^(?:import|export)\s+(type\s+)?(?:([^'"]*?)\s+from\s+)?['"]([^'"]+)['"]/gm
  const found = [...text.matchAll(pattern)].map(([, type, names = '', target = '']) => {
    const listed = /^\{([^}]*)\}$/s.exec(names.trim())?.[1]?.split(',') ?? []
    const named = listed.map((name) => name.trim()).filter(Boolean)
    const typeOnly =
      type !== undefined || (named.length > 0 && named.every((name) => name.startsWith('type ')))
    return { target, typeOnly }
  })
  const dynamic = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, target = '']) => ({
    target,
    typeOnly: false,
  }))
  return [...found, ...dynamic].map(({ target, typeOnly }) => ({
    from: file,
    target: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
    typeOnly,
  }))
}

export function isAllowed(
  name: string,
  room: Room,
  { target, typeOnly }: Import,
  builtin: readonly string[],
): boolean {
  const { rooms = [], types = [], packages = [] } = room
  if (target.startsWith('node:')) return !['contract', 'errors'].includes(name)
  if (!target.startsWith('server/')) {
    const parts = target.split('/')
    const wanted = target.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
    return packages.includes(wanted) && !builtin.includes(wanted)
  }
  const other = roomOf(target)
  const listed = (list: string[]) => list.includes(other) || list.includes(other.replace(/\/.*/, '/*'))
  return other === name || listed(rooms) || (typeOnly && listed(types))
}

/** Returns every group of files that import each other (Tarjan's strongly connected components). */
export function findCycles(imports: ReadonlyMap<string, Import[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const low = (file: string) => lowest.get(file) ?? 0
  const visit = (file: string) => {
    order.set(file, order.size)
    lowest.set(file, order.get(file) ?? 0)
    stack.push(file)
    for (const { target } of imports.get(file) ?? []) {
      if (!imports.has(target)) continue
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) lowest.set(file, Math.min(low(file), low(target)))
    }
    if (low(file) !== order.get(file)) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1) cycles.push(group.sort())
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return cycles
}
