/**
 * Makes a line of the books out of a row. A row whose amount or day cannot be read refuses the file with its line number.
 * Rule: nothing that a person wrote is kept of a row, only amounts, times and ids.
 */
import { digitsOf } from '../../payments/money.ts'
import type { LineKind, StatementLine } from '../../storage/reports/statements.ts'
import { readAmount } from '../../written/amount.ts'
import { currenciesNamed, onlyCurrency } from '../../written/currency.ts'
import { readTime } from '../../written/time.ts'
import { type Cells, isEmptyAmount } from './columns.ts'
import { type Row, unreadable } from './file.ts'
import type { StatementFormat } from './format.ts'
import { wordOf } from './words.ts'

const NAME_CHARS_MAX = 128
const MINOR_MAX = 1e15

/** `id`: as the file writes it, or empty. `texts`: the cells that may have the number of an order. They are searched and not stored. */
export type ReadLine = Omit<StatementLine, 'lineId'> & { id: string; line: number; texts: string[] }

export type Reader = { format: StatementFormat; cells: Cells; debitsHaveMinus: boolean; lastDay: Date }

/** Returns null for a line with a status that moved nothing. @throws AppError validation_failed */
export function readRow(row: Row, reader: Reader): ReadLine | null {
  const { format, cells } = reader
  const cell = (name: Parameters<Cells['of']>[1]) => cells.of(row, name)
  const status = cell('status')
  if (format.statuses && status !== '' && !format.statuses.includes(status)) return null
  const at = dayOf(row, reader)
  const booked = currencyOf(row, reader)
  const isPaid = !isEmptyAmount(cell('paidAmount')) && cell('paidCurrency') !== ''
  const currency = isPaid ? codeOf(cell('paidCurrency'), row) : booked
  const feeCurrency = cell('feeCurrency') === '' ? booked : codeOf(cell('feeCurrency'), row)
  const own = amountOf(row, reader, booked)
  const kind = kindOf(cell('kind'), own, format)
  const paid = isPaid ? minorOf(cell('paidAmount'), currency, row, reader) : 0
  const came = isPaid ? (own < 0 ? 0 - Math.abs(paid) : Math.abs(paid)) : own
  const names = (list: string[]) => list.filter((text) => text.length <= NAME_CHARS_MAX)
  return {
    id: cell('id').slice(0, NAME_CHARS_MAX),
    line: row.line,
    at,
    kind,
    currency,
    amountMinor: kind === 'taken' ? came : 0 - came,
    feeMinor: feeOf(row, reader, feeCurrency),
    feeCurrency,
    orderNames: [...new Set(names(cells.all(row, 'orders')).flatMap(ordersIn))],
    movementNames: names(cells.all(row, 'movements')),
    payoutId: cell('payout').slice(0, NAME_CHARS_MAX) || null,
    texts: [...cells.all(row, 'orders'), ...cells.all(row, 'texts')],
  }
}

function dayOf(row: Row, { format, cells, lastDay }: Reader): Date {
  const text = ['at', 'time', 'zone']
    .map((name) => cells.of(row, name as 'at' | 'time' | 'zone'))
    .filter((part) => part !== '')
    .join(' ')
  const at = readTime(text, { order: format.dates ?? 'ymd', timeZone: format.timeZone ?? 'UTC' })
  if (!at) throw unreadable(`Line ${row.line}: "${text}" is no date.`, 'statement_line', row.line)
  if (at <= lastDay) return at
  throw unreadable(
    `Line ${row.line}: "${text}" is read as ${at.toISOString().slice(0, 10)}, and that day has not come yet. Correct it in the file, or say in which order its days are written.`,
    'statement_line',
    row.line,
  )
}

/** A column of currencies counts before a sign beside the amount, and that before what was said about the whole file. */
function currencyOf(row: Row, { format, cells }: Reader): string {
  if (format.currencyIsSaid && format.currency !== undefined) return format.currency
  const column = cells.of(row, 'currency')
  const amount = ['amount', 'debit', 'credit']
    .map((name) => cells.of(row, name as 'amount'))
    .find((text) => /\p{L}|\p{Sc}/u.test(text))
  const read = amount === undefined ? null : readAmount(amount, { digits: 2 })
  const beside = read && read.is !== 'unreadable' ? read.currencies : []
  if (column !== '') return agreeing(codeOf(column, row), { beside, amount, row })
  const code = beside.length === 0 ? format.currency : pick(beside, format.currency)
  if (code !== undefined) return code
  throw unreadable(`Line ${row.line} has no currency.`, 'statement_line', row.line)
}

function agreeing(
  code: string,
  { beside, amount, row }: { beside: readonly string[]; amount: string | undefined; row: Row },
): string {
  if (beside.length === 0 || beside.includes(code)) return code
  throw unreadable(
    `Line ${row.line} has the amount ${amount}, and the currency ${code}.`,
    'statement_line',
    row.line,
  )
}

const pick = (codes: readonly string[], wanted: string | undefined) =>
  wanted !== undefined && codes.includes(wanted) ? wanted : onlyCurrency(codes)

function codeOf(text: string, row: Row): string {
  const code = /^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : onlyCurrency(currenciesNamed(text))
  if (code !== undefined) return code
  throw unreadable(`Line ${row.line}: "${text}" is no currency.`, 'statement_line', row.line)
}

function amountOf(row: Row, reader: Reader, currency: string): number {
  const { format, cells } = reader
  if (format.columns.amount !== undefined) {
    const text = cells.of(row, 'amount')
    const minor = minorOf(text, currency, row, reader)
    const direction = cells.of(row, 'direction')
    if (format.columns.direction !== undefined && direction === '' && minor > 0)
      throw unreadable(
        `Line ${row.line} does not say whether its money came or went.`,
        'statement_line',
        row.line,
      )
    return format.unsigned === 'went' && minor > 0 && !hasPlus(text)
      ? 0 - minor
      : signed(minor, direction, format)
  }
  const [debit, credit] = (['debit', 'credit'] as const).map((name) => {
    const text = cells.of(row, name)
    return isEmptyAmount(text) ? 0 : minorOf(text, currency, row, reader)
  }) as [number, number]
  if (debit !== 0 && credit !== 0)
    throw unreadable(`Line ${row.line} has a debit and a credit.`, 'statement_line', row.line)
  return credit - (reader.debitsHaveMinus ? 0 - debit : debit)
}

/** A plus or a word for a credit. */
function hasPlus(text: string): boolean {
  const read = readAmount(text, { digits: 2 })
  return read.is !== 'unreadable' && read.mark === '+'
}

function feeOf(row: Row, reader: Reader, currency: string): number {
  const { format, cells } = reader
  const text = cells.of(row, 'fee')
  if (isEmptyAmount(text)) return 0
  const minor = minorOf(text, currency, row, reader)
  if (format.columns.feeDirection) return 0 - signed(minor, cells.of(row, 'feeDirection'), format)
  return format.feeSign === 'minus' ? 0 - minor : minor
}

const signed = (minor: number, direction: string, { credit, columns }: StatementFormat) =>
  credit === undefined || columns.direction === undefined || minor < 0
    ? minor
    : direction === credit || wordOf(direction) === credit
      ? minor
      : 0 - minor

function minorOf(text: string, currency: string, row: Row, { format }: Reader): number {
  const digits = digitsOf(currency)
  const sign = format.decimalSign ?? '.'
  const read = readAmount(text, format.units === 'minor' ? { digits: 0 } : { digits, decimalSign: sign })
  if (format.units === 'minor' && !/^[-+−(]?\d+\)?$/.test(text.replaceAll(/\s/g, '')))
    throw unreadable(`Line ${row.line}: "${text}" is no amount in minor units.`, 'statement_line', row.line)
  const minor =
    read.is === 'amount'
      ? read.minor
      : read.is === 'ambiguous' && format.threeDecimals
        ? sign === '.'
          ? read.byPoint
          : read.byComma
        : null
  if (minor === null)
    throw unreadable(
      `Line ${row.line}: "${text}" is no amount with a "${sign}" before its decimals.`,
      'statement_line',
      row.line,
    )
  if (Math.abs(minor) > MINOR_MAX)
    throw unreadable(`Line ${row.line}: the amount "${text}" is too large.`, 'statement_line', row.line)
  return minor
}

/** Drivers write our reference alone, with our operation behind a dot, or behind the shop's order number and a slash. */
function ordersIn(text: string): string[] {
  return [text, text.split('.')[0] ?? '', text.split('/').at(-1) ?? ''].filter((each) => each !== '')
}

/** Without a column of kinds, or without words for them, a line is money that came or went. */
function kindOf(text: string, minor: number, { columns, kinds, otherKinds }: StatementFormat): LineKind {
  const plain = minor < 0 ? 'returned' : 'taken'
  const words = Object.keys(kinds)
  if (columns.kind === undefined || words.length === 0) return plain
  const exact = kinds[text]
  if (exact) return exact
  const starting = words
    .filter((each) => each.endsWith('*') && text.startsWith(each.slice(0, -1)))
    .sort((one, other) => other.length - one.length)[0]
  const kind = starting === undefined ? undefined : kinds[starting]
  return kind ?? (otherKinds === 'sign' ? plain : 'other')
}
