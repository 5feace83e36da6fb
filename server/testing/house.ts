/** Reads the imports of files, finds cycles and measures functions, for the test of the architecture. */
import { dirname, join, normalize } from 'node:path'
import ts from './documents/typescript-api.ts'

/** `files`: files and folders of rooms that are not allowed otherwise. `never`: files of a room that is allowed otherwise. */
export type Room = {
  rooms?: string[]
  types?: string[]
  files?: string[]
  packages?: string[]
  never?: string[]
}

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
  const pattern = /^(?:import|export)\s+(type\s+)?(?:([\w\s{},*]*?)\s+from\s+)?['"]([^'"]+)['"]/gm
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
  const { rooms = [], types = [], files = [], packages = [], never = [] } = room
  if (never.includes(target)) return false
  if (target.startsWith('node:')) return !['contract', 'errors'].includes(name)
  if (!target.startsWith('server/')) {
    const parts = target.split('/')
    const wanted = target.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '')
    return packages.includes(wanted) && !builtin.includes(wanted)
  }
  const other = roomOf(target)
  const listed = (list: string[]) => list.includes(other) || list.includes(other.replace(/\/.*/, '/*'))
  const isNamed = files.some((file) => target === file || (file.endsWith('/') && target.startsWith(file)))
  return other === name || isNamed || listed(rooms) || (typeOnly && listed(types))
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

/** Returns each function of more than `linesMax` lines, as `file:line lines`. The functions inside a function count too. */
export function findLongFunctions(file: string, text: string, linesMax: number): string[] {
  if (text.split('\n').length <= linesMax) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const first = lineOf(node.getStart(source))
    const lines = lineOf(node.end) - first + 1
    // A node that is short enough cannot contain a function that is too long.
    if (lines <= linesMax) return
    if (ts.isFunctionLike(node)) found.push(`${file}:${first + 1} ${lines} lines`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
