/**
 * `npm run lines`: the lines of the application, in total and by room, its longest functions and its cycles. Tests, their harness,
 * the benchmarks and declarations of types do not count. The total alone, without this program:
 *   git ls-files server widget | grep -E '\.tsx?$' |
 *     grep -vE '\.(test|suite|spec|long)\.tsx?$|^server/(testing|bench)/|\.d\.ts$' | xargs cat | wc -l
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findCycles, findLongFunctions, importsOf, roomOf } from './house.ts'

const ROOT = new URL('../..', import.meta.url)
const NOT_APPLICATION = /\.(test|suite|spec|long)\.tsx?$|^server\/(testing|bench)\/|\.d\.ts$/
/** The longest functions that are listed have more lines than this. */
const LONG_LINES = 55
const LISTED_FUNCTIONS = 10

const files = execFileSync('git', ['ls-files', 'server', 'widget'], {
  cwd: fileURLToPath(ROOT),
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !NOT_APPLICATION.test(file))
const texts = new Map(files.map((file) => [file, readFileSync(new URL(file, ROOT), 'utf8')]))

const rooms = new Map<string, { lines: number; files: number }>()
for (const [file, text] of texts) {
  const [folder = ''] = file.split('/')
  const name = folder === 'server' ? roomOf(file).split('/')[0] || file : folder
  const { lines, files: number } = rooms.get(name) ?? { lines: 0, files: 0 }
  rooms.set(name, { lines: lines + text.split('\n').length - 1, files: number + 1 })
}
const all = [...rooms.values()]
const total = all.reduce((sum, { lines }) => sum + lines, 0)
const row = (lines: number, number: number, name: string) =>
  console.log(`${String(lines).padStart(7)} lines ${String(number).padStart(5)} files  ${name}`)
for (const [name, { lines, files: number }] of [...rooms].sort(([, a], [, b]) => b.lines - a.lines))
  row(lines, number, name)
row(total, files.length, 'in all')

const lengthOf = (found: string) => Number(/ (\d+) lines$/.exec(found)?.[1])
const long = [...texts].flatMap(([file, text]) => findLongFunctions(file, text, LONG_LINES))
console.log(`\nFunctions of more than ${LONG_LINES} lines: ${long.length}`)
for (const each of long.sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, LISTED_FUNCTIONS))
  console.log(`  ${each}`)
const cycles = findCycles(new Map([...texts].map(([file, text]) => [file, importsOf(file, text)])))
console.log(`Import cycles: ${cycles.length}`)
for (const cycle of cycles) console.log(`  ${cycle.join(', ')}`)
