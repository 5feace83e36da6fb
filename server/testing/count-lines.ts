/**
 * `npm run lines`: the lines of the project by kind, those of the application by room with the budgets, its longest functions and its
 * cycles. `npm run lines -- --lower` lowers the limits in `room-lines.json` to the lines of today, and raises none.
 */
import { writeFileSync } from 'node:fs'
import { findCycles, findLongFunctions, importsOf } from './house.ts'
import { compareBudgets, countKinds, countRooms, limitsPath, readFiles, readLimits } from './lines.ts'

/** The longest functions that are listed have more lines than this. */
const LONG_LINES = 55
const LISTED_FUNCTIONS = 10

const rooms = countRooms()
const row = (lines: number, about: string, name: string) =>
  console.log(`${String(lines).padStart(7)} lines ${about.padStart(13)}  ${name}`)
const byLines = <Item extends { lines: number }>([, one]: [string, Item], [, other]: [string, Item]) =>
  other.lines - one.lines

console.log('The project by kind')
for (const [name, { lines, files }] of [...countKinds()].sort(byLines)) row(lines, `${files} files`, name)
console.log('\nThe application by room')
for (const [name, { lines, files }] of [...rooms].sort(byLines)) row(lines, `${files} files`, name)
console.log('\nThe application and its budgets')
const budgets = compareBudgets(rooms)
for (const { name, lines, budget } of budgets) row(lines, `of ${budget}`, name)
const sum = (key: 'lines' | 'budget') => budgets.reduce((total, each) => total + each[key], 0)
row(sum('lines'), `of ${sum('budget')}`, 'in all')

if (process.argv.includes('--lower')) {
  const limits = readLimits()
  const lowered = [...rooms].map(
    ([room, { lines }]) => [room, Math.min(lines, limits[room] ?? lines)] as const,
  )
  const sorted = Object.fromEntries(lowered.sort(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(limitsPath, `${JSON.stringify(sorted, null, 2)}\n`)
}

const texts = readFiles('application', 'catalogues', 'widget')
const lengthOf = (found: string) => Number(/ (\d+) lines$/.exec(found)?.[1])
const long = [...texts].flatMap(([file, text]) => findLongFunctions(file, text, LONG_LINES))
console.log(`\nFunctions of more than ${LONG_LINES} lines: ${long.length}`)
for (const each of long.sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, LISTED_FUNCTIONS))
  console.log(`  ${each}`)
const cycles = findCycles(new Map([...texts].map(([file, text]) => [file, importsOf(file, text)])))
console.log(`Import cycles: ${cycles.length}`)
for (const cycle of cycles) console.log(`  ${cycle.join(', ')}`)
