/**
 * Where the table of a statement begins: the row with the names of its columns, which may be two rows or none, and the first line.
 * Above it a bank writes its own name, the account and balances.
 */
import { currenciesNamed, onlyCurrency } from '../../written/currency.ts'
import { describe, hasDecimals, type Layout, withBalance } from './describe.ts'
import type { Row } from './file.ts'
import { isAmount, isDay, plainName } from './roles.ts'

const HEAD_ROWS_SEARCHED = 100
const SAMPLE_ROWS = 200

/** `isKnown`: says whether the names are those of a format that needs no guess. `hasNoHead`: as a person has said. */
export type Names = { isKnown(names: readonly string[]): boolean; hasNoHead?: boolean }

export function findLayout(rows: readonly Row[], { isKnown, hasNoHead = false }: Names): Layout | null {
  const some = rows.slice(0, SAMPLE_ROWS).filter(({ cells }) => cells.some((cell) => cell !== ''))
  const layout = hasNoHead ? withoutHead(some, { hasNoHead }) : findTable(some, isKnown)
  return layout && { ...withBalance(layout), currency: currencyAbove(some, layout.head.line) }
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
  found.sort((one, other) => other.lines - one.lines || one.head.rows - other.head.rows)
  const best = found[0] && withBalance(found[0])
  // What the balance does not prove says less than another head whose names say it.
  const chosen = best && best.lines > 0 ? best : found.find(({ open }) => open.size === 0)
  if (chosen) return chosen
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

/** A number is added to the second column of one name. */
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

/** Returns the currencies that the name of a column may state: `Betrag (€)`, `Amount, USD`. "All amounts" names none. */
export function currenciesOfName(name: string): string[] {
  const plain = plainName(name)
  return name
    .split(/[()[\],_]|\s+/)
    .map((word) => word.trim())
    .filter((word) => word.toLowerCase() !== plain && !/^[A-Z][a-z]{2}$/.test(word))
    .flatMap((word) => currenciesNamed(word))
}

const CURRENCY_LABEL = /currency|\bccy\b|валюта|արժույթ|währung|waluta|valiuta|devise|moneda|divisa/i

/** Returns the currency that is stated above the table, or undefined if several are. */
function currencyAbove(rows: readonly Row[], headLine: number): string | undefined {
  return onlyOf(rows.filter(({ line }) => line < headLine).flatMap(codesBesideLabel))
}

/** Returns the currency that stands beside its label: `Account currency;USD`, `Валюта счета: AMD`. Undefined if there are several. */
export const currencyStated = (row: Row) => onlyOf(codesBesideLabel(row))

const codesBesideLabel = ({ cells }: Row) =>
  cells.some((cell) => CURRENCY_LABEL.test(cell))
    ? cells
        .flatMap((cell) => cell.split(/[\s:;,()]+/))
        .filter((word) => !CURRENCY_LABEL.test(word))
        .flatMap((word) => onlyCurrency(currenciesNamed(word)) ?? [])
    : []

function onlyOf(codes: readonly string[]): string | undefined {
  const [only, ...others] = new Set(codes)
  return others.length === 0 ? only : undefined
}
