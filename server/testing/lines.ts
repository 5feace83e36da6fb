/** Counts the lines of the project by kind, and those of the application by room, beside the budgets of the rooms. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { roomOf } from './house.ts'

const ROOT = new URL('../..', import.meta.url)
const LIMITS = new URL('room-lines.json', import.meta.url)

/** The first kind whose pattern matches the path counts. What no pattern matches is not counted. */
const KINDS = {
  documentation: /\.md$/,
  migrations: /\.sql$/,
  benches: /^(server|e2e)\/bench\/.*\.ts$/,
  simulators: /^server\/testing\/providers\/(stripe|paypal|rbs|ameria|idram|simulator|stand-ins)\/.*\.ts$/,
  tests: /\.(test|suite|spec|long)\.tsx?$|^server\/testing\/.*\.ts$|^e2e\/.*\.ts$/,
  catalogues: /^server\/(messages\/.*\.json|console\/(.*\/)?words\/)|^widget\/messages/,
  generated:
    /^server\/(messages\/values|console\/words\/values|storage\/rows|clients\/node\/kassa-api\.d)\.m?ts$/,
  clients: /^server\/(clients|plugins)\//,
  declarations: /\.d\.ts$/,
  widget: /^widget\/.*\.tsx?$/,
  application: /^server\/.*\.tsx?$/,
}
export type Kind = keyof typeof KINDS
type Counted = { lines: number; files: number }

/** `REST`: all rooms that no other budget names. */
const REST = 'all other rooms'
const BUDGETS: Record<string, { rooms: string[]; lines: number }> = {
  console: { rooms: ['console'], lines: 8_000 },
  payments: { rooms: ['payments'], lines: 11_000 },
  storage: { rooms: ['storage'], lines: 10_000 },
  providers: { rooms: ['providers'], lines: 6_900 },
  'operator and acts': { rooms: ['operator', 'acts'], lines: 6_600 },
  admin: { rooms: ['admin'], lines: 3_400 },
  pages: { rooms: ['pages'], lines: 3_800 },
  http: { rooms: ['http'], lines: 4_500 },
  'accounts, merchants, sandbox and the root': {
    rooms: ['accounts', 'merchants', 'sandbox', 'root'],
    lines: 7_000,
  },
  [REST]: { rooms: [], lines: 18_000 },
}

const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8')

const kindOf = (file: string) => (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind].test(file)) ?? null

/** Returns the text of every file in git of one of these kinds. */
export function readFiles(...kinds: Kind[]): Map<string, string> {
  const names = execFileSync('git', ['ls-files'], { cwd: fileURLToPath(ROOT), encoding: 'utf8' })
  const files = names.split('\n').filter((file) => kinds.some((kind) => kindOf(file) === kind))
  return new Map(files.map((file) => [file, read(file)]))
}

function count(files: Map<string, string>, nameOf: (file: string) => string): Map<string, Counted> {
  const counted = new Map<string, Counted>()
  for (const [file, text] of files) {
    const { lines, files: number } = counted.get(nameOf(file)) ?? { lines: 0, files: 0 }
    counted.set(nameOf(file), { lines: lines + text.split('\n').length - 1, files: number + 1 })
  }
  return counted
}

export function countKinds(): Map<string, Counted> {
  const kinds = Object.keys(KINDS) as Kind[]
  return count(readFiles(...kinds), (file) => kindOf(file) ?? '')
}

/** Returns the lines of each room. `root`: the files that are in no folder of server/. */
export function countRooms(): Map<string, Counted> {
  const roomOfFile = (file: string) =>
    file.split('/').length === 2 ? 'root' : (roomOf(file).split('/')[0] ?? '')
  return count(readFiles('application'), roomOfFile)
}

/** Returns each budget with the lines that its rooms have. */
export function compareBudgets(
  rooms: Map<string, Counted>,
): { name: string; lines: number; budget: number }[] {
  const named = Object.values(BUDGETS).flatMap((each) => each.rooms)
  return Object.entries(BUDGETS).map(([name, { rooms: own, lines: budget }]) => {
    const isOwn = (room: string) => (name === REST ? !named.includes(room) : own.includes(room))
    const lines = [...rooms].reduce((sum, [room, counted]) => sum + (isOwn(room) ? counted.lines : 0), 0)
    return { name, lines, budget }
  })
}

/** How many lines each room may have at most. A room that is not listed may have none. */
export function readLimits(): Record<string, number> {
  return JSON.parse(readFileSync(LIMITS, 'utf8'))
}

export const limitsPath = fileURLToPath(LIMITS)
