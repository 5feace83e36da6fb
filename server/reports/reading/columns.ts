/** The cells of a row by what they mean, and which rows are lines of the table. */

import type { Layout } from './describe.ts'
import type { Row } from './file.ts'
import { unreadable } from './file.ts'
import type { StatementFormat } from './format.ts'
import { isAmount, isDay } from './roles.ts'

export type ColumnName = Exclude<keyof StatementFormat['columns'], 'orders' | 'texts' | 'movements'>
type ListName = 'orders' | 'texts' | 'movements'

export type Cells = {
  of(row: Row, name: ColumnName): string
  all(row: Row, name: ListName): string[]
}

/** Names are compared without the case of their letters and without blanks. */
export const foldName = (name: string) => name.toLowerCase().replaceAll(/\s+/g, '')

export function cellsBy({ columns }: StatementFormat, names: readonly string[]): Cells {
  const places = new Map<string, number>()
  for (const [at, name] of names.entries()) if (!places.has(foldName(name))) places.set(foldName(name), at)
  const placeOf = (column: string | undefined) =>
    column === undefined ? -1 : (places.get(foldName(column)) ?? -1)
  const single = new Map(
    Object.entries(columns).map(([name, column]) => [name, Array.isArray(column) ? -1 : placeOf(column)]),
  )
  const lists = {
    orders: columns.orders.map(placeOf),
    texts: columns.texts.map(placeOf),
    movements: columns.movements.map(placeOf),
  }
  return {
    of: ({ cells }, name) => cells[single.get(name) ?? -1] ?? '',
    all: ({ cells }, name) => lists[name].map((at) => cells[at] ?? '').filter((cell) => cell !== ''),
  }
}

/** Why a row is no line. Each is counted, and shown with its line number. */
export const SKIPS = ['above', 'blank', 'head', 'total', 'text', 'section', 'status'] as const
export type Skip = (typeof SKIPS)[number]

const TOTAL =
  /^(?:grand |sub ?)?(?:total|sum)\b|^(?:number|count) of|^anzahl der|^(?:количество|кол-во) |^(?:итого|всего|оборот|сальдо|остаток)|^(?:zwischen|gesamt)?summe|^gesamt|saldo\b|^kontostand|^(?:opening|closing|beginning|ending|available|current) balance|^balance\b|^(?:начальный|конечный|входящий|исходящий) остаток|^(?:начальное|конечное|входящее|исходящее) сальдо|^ընդամենը|^(?:սկզբնական |վերջնական |վերջին )?մնացորդ|^page \d|^seite \d|^стр\.? ?\d/i
/** A cell that says that its row only states a balance or a total. A buyer may write such a word too, but not alone. */
const STATED = [
  /^(?:opening|closing|beginning|ending|previous|current|start|end)? ?bal(?:ance)?\.?(?: (?:brought|carried) forward| (?:as (?:of|at)|on|at) \d{1,4}[ ./-]\S{1,9}(?:[ ./-]\d{2,4})?)?:?$/i,
  /^balance [bc]\/?f$|^(?:anfangs|end|alt|neu|alter |neuer )?(?:saldo|kontostand)(?:vortrag)?(?: (?:vom|am|per) [\d.]{6,10})?:?$/i,
  /^(?:(?:входящ|исходящ|начальн|конечн)(?:ий|ый|ее|ое) )?(?:остаток|сальдо)(?: на (?:(?:начало|конец)(?: [а-я]+){0,2}|[\d.]{6,10}))?:?$/i,
  /^(?:սկզբնական |վերջնական |վերջին )?մնացորդ(?:ը)?:?$/i,
  /^(?:grand |sub ?)?totals?:?$|^(?:итого|всего)(?: за (?:день|период|месяц))?:?$|^обороты?(?: за .*)?:?$|^(?:zwischen|gesamt)?summe:?$|^ընդամենը:?$/i,
]
const EMPTY_AMOUNT = /^[-–—−0.,\s]*$/

/** Returns a function that says why a row is no line, or null for a line. */
export function newSieve(
  format: StatementFormat,
  { names, head }: Layout,
  cells: Cells,
): (row: Row) => Skip | null {
  let headRows = 0
  let hasLine = false
  let isBelowTotal = false
  return (row) => {
    const skip = skipOf(row)
    hasLine ||= skip === null
    isBelowTotal = skip === 'total' || (isBelowTotal && skip !== null)
    return skip
  }
  function skipOf(row: Row): Skip | null {
    if (row.line < head.line) return 'above'
    if (headRows < head.rows) {
      headRows++
      return 'head'
    }
    const filled = row.cells.filter((cell) => cell !== '')
    // Some banks draw lines of stars or dashes.
    if (!filled.some((cell) => /[\p{L}\p{N}\p{Sc}]/u.test(cell))) return 'blank'
    if (format.rows && row.cells[0] !== format.rows.line)
      return row.cells[0] === format.rows.header ? 'head' : 'section'
    if (head.rows > 0 && row.cells.every((cell, at) => foldName(cell) === foldName(names[at] ?? '')))
      return 'head'
    if (!hasLine && head.rows > 0 && isSecondHead(row, cells)) return 'head'
    // Below the names of sums are the sums. One of them is in the column of the day.
    if (isBelowTotal && isSum(cells.of(row, 'at'))) return 'total'
    return whyNoLine(row, filled, cells)
  }
}

/** The names in another language, or the numbers of the columns, between the head and the first line. */
function isSecondHead(row: Row, cells: Cells): boolean {
  const filled = row.cells.filter((cell) => cell !== '')
  const named = (['at', 'amount', 'debit', 'credit'] as const)
    .map((name) => cells.of(row, name))
    .filter((cell) => cell !== '')
  const isOfNumbers =
    filled.length > 2 && row.cells.every((cell, at) => cell === '' || cell === String(at + 1))
  return isOfNumbers || (named.length > 1 && !named.some((cell) => /\p{N}/u.test(cell)))
}

const isSum = (text: string) => /\D/.test(text) && isAmount(text) && !isDay(text)

function whyNoLine(row: Row, filled: string[], cells: Cells): Skip | null {
  const day = cells.of(row, 'at')
  const amounts = (['amount', 'debit', 'credit'] as const).map((name) => cells.of(row, name))
  const hasDay = isDay(day)
  const hasAmount = amounts.some((amount) => amount !== '')
  const hasNumber = amounts.some((amount) => /\d/.test(amount))
  if (filled.length === 1 && (!hasAmount || !hasDay)) return hasNumber ? 'total' : 'text'
  if (filled.some(isStated) && !(hasDay && hasNumber && isOfSomebody(row, cells))) return 'total'
  if (hasDay && hasNumber) return null
  if (filled.slice(0, 3).some((cell) => TOTAL.test(cell))) return 'total'
  if (!hasAmount && (day === '' || !/\d/.test(day))) return 'text'
  if (!hasAmount && hasDay)
    throw unreadable(`Line ${row.line} has a date and no amount.`, 'statement_line', row.line)
  // The reader of the line says what is wrong with it.
  return null
}

const isStated = (cell: string) => STATED.some((form) => form.test(cell))

/** A payer may be called Total. A row that states a total has no reference, no payer and no purpose beside it. */
const isOfSomebody = (row: Row, cells: Cells) =>
  [cells.of(row, 'id'), ...cells.all(row, 'orders'), ...cells.all(row, 'texts')].some(
    (cell) => /[\p{L}\p{N}]/u.test(cell) && !isStated(cell),
  )

export const isEmptyAmount = (text: string) => EMPTY_AMOUNT.test(text)
