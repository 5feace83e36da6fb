/**
 * The tables that hold the port against each protocol: no cell is empty, and every member is there. WRITE_GUIDE=1 writes the table of
 * rows that drivers do not have.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked, type Tokens } from 'marked'
import { expect, test } from 'vitest'
import { DRIVERS } from '../providers/registry.ts'
import { cellsOf } from '../testing/providers/driver-cells.ts'
import { rowCases } from '../testing/providers/driver-rows.ts'
import { LEFT_OUT } from '../testing/providers/rows-left-out.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
const [calls, banks, registers] = marked
  .lexer(read('driver-protocols.md'))
  .filter((token): token is Tokens.Table => token.type === 'table')
  .map(({ header, rows }) => [header, ...rows].map((row) => row.map(({ text }) => text))) as [
  string[][],
  string[][],
  string[][],
]

const PROTOCOLS = ['Stripe', 'PayPal', 'rbs', 'Ameria', 'Idram']
/** Of the port: neither says anything to the provider. */
const WORDS = ['label', 'labelOf', 'mark', 'currencies', 'liveCapable', 'supportsAutoinit']
const OF_SETTINGS = ['settings', 'identity', 'secrets', 'addresses']

/** The members that a type declares, by its source. */
function membersOf(path: string, type: string): string[] {
  const [, body = ''] = new RegExp(`export type ${type}\\b[^{]*\\{(.*?)\\n\\}`, 's').exec(read(path)) ?? []
  return [...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, name]) => name ?? '')
}
const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')

test.each([
  ['calls', calls],
  ['members', banks],
  ['members of the fiscal port', registers],
])('the table of %s has no empty cell', (_name, table) => {
  expect(table.length).toBeGreaterThan(5)
  for (const row of table) expect(row.map((cell) => cell.trim())).not.toContain('')
})

test('the calls of every protocol are listed, and every member of the port has its row', () => {
  expect([...new Set(calls.slice(1).map(([protocol]) => protocol))]).toEqual([...PROTOCOLS, 'e-HDM'])
  expect(banks[0]).toEqual(['Member', ...PROTOCOLS])
  const members = membersOf('../providers/driver.ts', 'Driver').filter(
    (name) => ![...WORDS, ...OF_SETTINGS].includes(name),
  )
  const rows = banks.slice(1).flatMap(([member]) => namesIn(member))
  const inUnions = ['startCheckout', 'composeCheckout', 'savingPrice', 'finishSaving']
  expect(rows.toSorted()).toEqual([...members, ...inUnions].toSorted())
  const fiscal = membersOf('../providers/fiscal/driver.ts', 'FiscalDriver').filter(
    (name) => !WORDS.includes(name),
  )
  expect(
    registers
      .slice(1)
      .flatMap(([member]) => namesIn(member))
      .toSorted(),
  ).toEqual(fiscal.toSorted())
})

test('the rows that a driver does not have are those of its bench', () => {
  const namesOf = (lack: string) => rowCases().flatMap(({ needs, name }) => (needs === lack ? [name] : []))
  const rows = Object.entries(LEFT_OUT).flatMap(([driver, reasons]) =>
    Object.entries(reasons).map(([lack, why]) => {
      const names = namesOf(lack)
      return `| \`${driver}\` | ${names.length > 0 ? names.join('; ') : lack.replaceAll('_', ' ')} | ${why} |`
    }),
  )
  const guide = read('driver-protocols.md')
  const [start = '', end = ''] = guide.split('| Driver | Row | Why |\n|---|---|---|\n')
  // The comment with the page's keywords follows the table.
  const [written = '', ...rest] = end.trimEnd().split('\n\n')
  if (process.env.WRITE_GUIDE)
    writeFileSync(
      join(import.meta.dirname, 'driver-protocols.md'),
      `${start}| Driver | Row | Why |\n|---|---|---|\n${[rows.join('\n'), ...rest].join('\n\n')}\n`,
    )
  else expect(written.split('\n')).toEqual(rows)
})

/** The columns of the suite for each driver: how many of a call's faults it meets, or that it has the row. */
function suiteTable(): string {
  const all = Object.entries(LEFT_OUT).map(([name, without]) => {
    const row = DRIVERS[name]
    if (!row) throw new Error(`there is no driver ${name}`)
    const start = () => Promise.reject(new Error('the table starts no simulator'))
    return { name, cells: cellsOf({ driver: row.driver, without, start }) }
  })
  const [first] = all
  const calls = new Set(first?.cells.filter(({ column }) => column === 'none').map(({ row }) => row))
  const rows = new Map(
    first?.cells.map(({ row, column }) => {
      const isCall = calls.has(row)
      return [isCall ? `\`${row}\`, and each fault on the way` : `${row}: ${column}`, { row, column, isCall }]
    }),
  )
  const lines = [...rows].map(([title, { row, column, isCall }]) => {
    const counts = all.map(({ cells }) => {
      const own = cells.filter((each) => each.row === row && (isCall || each.column === column))
      const there = own.filter(({ isThere }) => isThere).length
      if (there === 0) return '–'
      return isCall ? String(there) : '✓'
    })
    return `| ${[title, ...counts].join(' | ')} |`
  })
  const heads = ['Row', ...all.map(({ name }) => `\`${name}\``)]
  return [`| ${heads.join(' | ')} |`, `|${heads.map(() => '---|').join('')}`, ...lines].join('\n')
}

test('the conformance suite over all drivers is one table', () => {
  const guide = read('driver-protocols.md')
  const [, before = '', written = '', after = ''] =
    /^(.*## The conformance suite over all drivers\n\n[^|]*)(\|.*?)(\n\n.*)$/s.exec(guide) ?? []
  const wanted = suiteTable()
  expect(before).not.toBe('')
  expect(wanted.split('\n').length).toBeGreaterThan(50)
  if (process.env.WRITE_GUIDE)
    writeFileSync(join(import.meta.dirname, 'driver-protocols.md'), `${before}${wanted}${after}`)
  else expect(written).toBe(wanted)
})

test.each(['stripe', 'paypal', 'rbs', 'ameria', 'idram'])(
  'the service names %s in no file outside its folder but the table of drivers',
  (name) => {
    const root = join(import.meta.dirname, '..')
    const named = new RegExp(`\\b${name}(Driver|Proof|Settings)\\b|/${name}/`, 'i')
    const naming = globSync('**/*.ts', { cwd: root }).filter(
      (file) =>
        !/\.(test|long|suite)\.ts$|^testing\/|node_modules/.test(file) &&
        !file.startsWith(`providers/${name}/`) &&
        named.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(naming).toEqual(['providers/registry.ts'])
    const lines = readFileSync(join(root, 'providers/registry.ts'), 'utf8').split('\n')
    expect(lines.filter((line) => named.test(line)).length).toBe(DRIVERS[name]?.proof ? 3 : 2)
  },
)
