/**
 * Where the table of a statement begins: the row with the names of its columns, which may be two rows or none, and the first line.
 * Above it a bank writes its own name, the account and balances.
 */
import { currenciesNamed, onlyCurrency } from '../../written/currency.ts'
import type { Row } from './file.ts'
import { isAmount, isDay, mayNameOrder, plainName, type Role, rolesByName } from './roles.ts'

export type Roles = Partial<Record<Role, number>>
export type Layout = {
  /** The names of the columns. Without a head they are numbers: `1`, `2`. */
  names: string[]
  /** The line of the first row of the head, and how many rows it has. Of a table without a head: the line of its first row, and none. */
  head: { line: number; rows: number }
  roles: Roles
  orders: number[]
  texts: number[]
  /** The currency that is stated above the table. */
  currency?: string | undefined
  /** The first line below the head. */
  sample: string[]
  /** How many rows of the beginning are lines. */
  lines: number
}

const HEAD_ROWS_SEARCHED = 100
const SAMPLE_ROWS = 200

/** `isKnown`: says whether the names are those of a format that needs no guess. `hasNoHead`: as a person has said. */
export type Names = { isKnown(names: readonly string[]): boolean; hasNoHead?: boolean }

export function findLayout(rows: readonly Row[], { isKnown, hasNoHead = false }: Names): Layout | null {
  const some = rows.slice(0, SAMPLE_ROWS).filter(({ cells }) => cells.some((cell) => cell !== ''))
  const layout = hasNoHead ? withoutHead(some, { hasNoHead }) : findTable(some, isKnown)
  return layout && { ...layout, currency: currencyAbove(some, layout.head.line) }
}

function findTable(some: readonly Row[], isKnown: (names: readonly string[]) => boolean): Layout | null {
  const known = some.findIndex(({ cells }) => isKnown(cells))
  if (known >= 0) return layoutAt(some, known, 1)
  const top = some.slice(0, HEAD_ROWS_SEARCHED)
  // The second row of a head names what the first one has in common.
  const found = [1, 2].flatMap((height) =>
    [...top.keys()].flatMap((at) => {
      const head = some.slice(at, at + height)
      const isHead =
        head.length === height && !head.some(hasValues) && (height === 1 || filledIn(head[0]) > 1)
      const layout = isHead ? layoutAt(some, at, height) : null
      return layout && layout.lines > 0 ? [layout] : []
    }),
  )
  const [best] = found.sort((one, other) => other.lines - one.lines || one.head.rows - other.head.rows)
  if (best) return best
  return withoutHead(some) ?? top.reduce<Layout | null>((best, _, at) => best ?? headAlone(some, at), null)
}

const filledIn = (row: Row | undefined) => row?.cells.filter((cell) => cell !== '').length ?? 0
const hasValues = ({ cells }: Row) => cells.some((cell) => isDay(cell) || (isAmount(cell) && /\d/.test(cell)))

/** The file has a head and no line that can be recognized. */
function headAlone(rows: readonly Row[], at: number): Layout | null {
  const { cells } = rows[at] as Row
  const filled = cells.filter((cell) => cell !== '').length
  const widest = Math.max(...rows.map((row) => row.cells.filter((cell) => cell !== '').length))
  return filled >= Math.min(2, widest) && filled * 2 >= widest ? layoutAt(rows, at, 1) : null
}

/** `isByCells`: the column of the days may have any name. */
function layoutAt(rows: readonly Row[], at: number, height: number, isByCells = false): Layout {
  const head = rows.slice(at, at + height)
  const width = Math.max(...head.map(({ cells }) => cells.length))
  const names = distinct(
    Array.from({ length: width }, (_, column) =>
      head
        .map(({ cells }) => oneLine(cells[column] ?? ''))
        .filter((part, index, all) => part !== '' && all.indexOf(part) === index)
        .join(' '),
    ),
  )
  const body = rows.slice(at + height).map(({ cells }) => cells)
  return describe(names, body, { head: { line: head[0]?.line ?? 1, rows: height }, isByCells })
}

const oneLine = (name: string) => name.replaceAll(/\s+/g, ' ').trim()

/** Two columns of one name are told apart by a number. */
function distinct(names: string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 || name === '' ? name : `${name} (${count})`
  })
}

function withoutHead(rows: readonly Row[], { hasNoHead = false } = {}): Layout | null {
  const isLine = ({ cells }: Row) => {
    const day = cells.findIndex(isDay)
    return day >= 0 && cells.some((cell, at) => at !== day && hasDecimals(cell))
  }
  const at = rows.findIndex(isLine)
  const first = rows[at]
  if (!first) return null
  // A row of texts right above the first line names the columns, also in words that nobody knows.
  const above = rows[at - 1]
  if (
    above &&
    !hasNoHead &&
    !hasValues(above) &&
    filledIn(above) > 1 &&
    filledIn(above) * 3 >= filledIn(first) * 2
  )
    return layoutAt(rows, at - 1, 1, true)
  const names = first.cells.map((_, column) => String(column + 1))
  const body = rows.slice(at).map(({ cells }) => cells)
  return describe(names, body, { head: { line: first.line, rows: 0 }, isByCells: true })
}

/** A number that can only be money: with decimals or with a currency. */
const hasDecimals = (cell: string) => isAmount(cell) && /\D/.test(cell.replace(/^-/, '')) && !isDay(cell)

function describe(
  names: string[],
  body: string[][],
  { head, isByCells }: { head: Layout['head']; isByCells: boolean },
): Layout {
  const column = (at: number) => body.map((cells) => cells[at] ?? '').filter((cell) => cell !== '')
  const share = (at: number, fits: (cell: string) => boolean) => {
    const cells = column(at)
    return cells.length > 0 && cells.filter(fits).length * 2 > cells.length
  }
  /** The name of the column has said it already. */
  const some = (at: number, fits: (cell: string) => boolean) =>
    column(at).filter(fits).length * 3 >= column(at).length
  const isMoney = (at: number) => share(at, isAmount) && !share(at, isDay)
  const canBe = (role: Role, at: number): boolean => {
    if (column(at).length === 0) return !['at', 'amount'].includes(role)
    if (role === 'at') return some(at, isDay)
    if (['amount', 'fee', 'net', 'balance', 'debit', 'credit'].includes(role)) return some(at, isAmount)
    if (role === 'currency' || role === 'feeCurrency')
      return share(at, (cell) => /^\p{L}{3}$|^\p{Sc}$/u.test(cell))
    if (role === 'time') return share(at, (cell) => /^\d{1,2}[:.]\d\d/.test(cell) && !isDay(cell))
    return true
  }
  const roles = head.rows > 0 ? rolesByName(names, body.length > 0 ? canBe : undefined) : {}
  // Beside two columns, an amount without a sign says less than they do.
  const hasBoth = roles.debit !== undefined && roles.credit !== undefined
  const has = (at: number | undefined, pattern: RegExp) => column(at ?? -1).some((cell) => pattern.test(cell))
  const isSigned = has(roles.amount, /[^\p{L}\d\s.,'\p{Sc}]|\d\s*(?:dr|db?|s|дт)\.?$/iu)
  if (hasBoth && !isSigned && (has(roles.debit, /[1-9]/) || has(roles.credit, /[1-9]/))) delete roles.amount
  // One of two columns of amounts, without the other, is a word about something else.
  if (roles.amount !== undefined || !hasBoth) {
    delete roles.debit
    delete roles.credit
  }
  const taken = () => new Set(Object.values(roles))
  if (isByCells) {
    const first = (fits: (cell: string) => boolean) => [...names.keys()].find((at) => share(at, fits))
    addRole(roles, 'at', first(isDay))
    addRole(
      roles,
      'currency',
      first((cell) => /^[A-Z]{3}$/.test(cell)),
    )
  }
  if (roles.amount === undefined && roles.debit === undefined) {
    const amounts = [...names.keys()].filter(
      (at) => !taken().has(at) && isMoney(at) && share(at, hasDecimals),
    )
    if (amounts.length === 1) addRole(roles, 'amount', amounts[0])
  }
  const rest = [...names.keys()].filter((at) => !taken().has(at))
  const orders = rest.filter((at) => head.rows > 0 && mayNameOrder(names[at] ?? ''))
  const texts = rest.filter((at) => !orders.includes(at) && !isMoney(at) && !share(at, isDay))
  const isLine = (cells: string[]) =>
    isDay(cells[roles.at ?? -1] ?? '') &&
    [roles.amount, roles.debit, roles.credit].some((at) => isAmount(cells[at ?? -1] ?? ''))
  return { names, head, roles, orders, texts, sample: body[0] ?? [], lines: body.filter(isLine).length }
}

function addRole(roles: Roles, role: Role, at: number | undefined): void {
  if (at !== undefined && roles[role] === undefined && !Object.values(roles).includes(at)) roles[role] = at
}

/** Returns the currency that the names of the columns state: `Betrag (€)`, `Amount, USD`. */
export function wordsBeside(name: string): string[] {
  const plain = plainName(name)
  return name
    .split(/[()[\],]|\s+/)
    .map((word) => word.trim())
    .filter((word) => word !== '' && word.toLowerCase() !== plain)
}

const CURRENCY_LABEL = /currency|\bccy\b|валюта|արժույթ|währung|waluta|valiuta|devise|moneda|divisa/i

/** Returns the currency that stands beside its label: `Account currency;USD`, `Валюта счета: AMD`. Of several none. */
function currencyAbove(rows: readonly Row[], headLine: number): string | undefined {
  const codes = rows
    .filter(({ line, cells }) => line < headLine && cells.some((cell) => CURRENCY_LABEL.test(cell)))
    .flatMap(({ cells }) => cells.flatMap((cell) => cell.split(/[\s:;,()]+/)))
    .filter((word) => !CURRENCY_LABEL.test(word))
    .flatMap((word) => onlyCurrency(currenciesNamed(word)) ?? [])
  const [only, ...others] = new Set(codes)
  return others.length === 0 ? only : undefined
}
