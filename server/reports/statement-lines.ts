/**
 * Reads a statement line by line. Only a few lines are in memory at a time.
 * Rule: nothing that a person wrote is kept of a line, only amounts, times and ids.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { AppError, type Reason } from '../errors.ts'
import { digitsOf } from '../payments/money.ts'
import type { LineKind, StatementLine } from '../storage/reports/statements.ts'
import { readTime } from './local-time.ts'
import {
  findMissingColumns,
  findReadyFormat,
  type ReadyName,
  type StatementFormat,
} from './statement-format.ts'

/** A cell that may be longer than this is no cell of a statement: a quotation mark was never closed. */
const LINE_BYTES_MAX = 65_536
const LINES_MAX = 1_000_000
const NAME_CHARS_MAX = 128
const MINOR_MAX = 1e15
const SEPARATORS = [',', ';', '\t'] as const

type Row = Record<string, string>
type Where = { number: number; format: StatementFormat }

/** `line`: counted from 1. */
const unreadable = (message: string, reason: Reason, line?: number) =>
  new AppError('validation_failed', { message, reason, ...(line && { about: { line: String(line) } }) })

/** `open`: opens the file again each time. */
export type StatementFile = { open(): Readable }

/** Returns the names of the columns, the separator, and the ready format that fits, without reading more than the beginning. */
export async function readColumns(
  file: StatementFile,
): Promise<{ columns: string[]; separator: string; ready: ReadyName | null; sample: string[] }> {
  const begin = await beginningOf(file)
  const lines = begin.split(/\r?\n/)
  const header = lines.find((line) => /^"?CH"?[,;\t]/.test(line)) ?? lines[0] ?? ''
  const separator =
    [...SEPARATORS].sort((one, other) => header.split(other).length - header.split(one).length)[0] ?? ','
  const cells = (line: string) => line.split(separator).map((cell) => cell.trim().replaceAll(/^"|"$/g, ''))
  const columns = cells(header)
  const sample = cells(lines[lines.indexOf(header) + 1] ?? '')
  return { columns, separator, ready: findReadyFormat(columns), sample }
}

const BEGINNING_BYTES = 65_536

async function beginningOf(file: StatementFile): Promise<string> {
  const chunks: Buffer[] = []
  const stream = file.open()
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    if (chunks.reduce((sum, { length }) => sum + length, 0) >= BEGINNING_BYTES) break
  }
  stream.destroy()
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '')
}

/** @throws AppError validation_failed that names the line which cannot be read */
export async function* readLines(
  file: StatementFile,
  { format, separator }: { format: StatementFormat; separator: string },
): AsyncGenerator<StatementLine> {
  const source = file.open()
  const parser = parse({
    bom: true,
    delimiter: separator,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: LINE_BYTES_MAX,
  })
  source.on('error', (error) => parser.destroy(error))
  source.pipe(parser)
  const seen = new Map<string, number>()
  let columns: string[] | null = null
  let number = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (++number > LINES_MAX)
        throw unreadable(
          `A statement has at most ${LINES_MAX} lines. Split the file by month.`,
          'statement_long',
        )
      const isHeader = format.rows ? cells[0] === format.rows.header : columns === null
      if (isHeader) columns = expectColumns(cells, format)
      else if (columns && (!format.rows || cells[0] === format.rows.line)) {
        const row = Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? '']))
        const line = readLine(row, { number, format }, seen)
        if (line) yield line
      }
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw unreadable(
      `The file cannot be read as CSV after line ${number}: ${(error as Error).message}`,
      'statement_line',
      number,
    )
  } finally {
    source.destroy()
  }
  if (!columns) throw unreadable('The file has no line with the names of its columns.', 'statement_columns')
}

function expectColumns(cells: string[], format: StatementFormat): string[] {
  const missing = findMissingColumns(format, cells)
  if (missing.length === 0) return cells
  throw unreadable(
    `The file has no column ${missing.map((name) => `"${name}"`).join(', ')}. Its columns are: ${cells.join(', ')}.`,
    'statement_columns',
  )
}

/** Returns null for a line that moved nothing. */
function readLine(row: Row, where: Where, seen: Map<string, number>): StatementLine | null {
  const { format } = where
  const { columns } = format
  const cell = (name: string | undefined) => (name === undefined ? '' : (row[name] ?? ''))
  if (format.statuses && !format.statuses.includes(cell(columns.status))) return null
  const at = readTime(cell(columns.at), format)
  if (!at)
    throw unreadable(
      `Line ${where.number}: "${cell(columns.at)}" is no date.`,
      'statement_line',
      where.number,
    )
  const isPaid = cell(columns.paidAmount) !== '' && cell(columns.paidCurrency) !== ''
  const currency = (
    cell(isPaid ? columns.paidCurrency : columns.currency) ||
    format.currency ||
    ''
  ).toUpperCase()
  const booked = (cell(columns.currency) || format.currency || '').toUpperCase()
  const feeCurrency = cell(columns.feeCurrency).toUpperCase() || booked
  if (![currency, booked, feeCurrency].every((code) => /^[A-Z]{3}$/.test(code)))
    throw unreadable(
      `Line ${where.number} has no currency. Give --currency if the column is missing.`,
      'statement_line',
      where.number,
    )
  const own = signed(readMinor(cell(columns.amount), booked, where), cell(columns.direction), format)
  const kind = kindOf(cell(columns.kind), own, format)
  const came = isPaid ? withSignOf(readMinor(cell(columns.paidAmount), currency, where), own) : own
  const fee = readMinor(cell(columns.fee) || '0', feeCurrency, where)
  const names = (list: string[]) =>
    list.map(cell).filter((text) => text !== '' && text.length <= NAME_CHARS_MAX)
  return {
    lineId: cell(columns.id).slice(0, NAME_CHARS_MAX) || countedId(row, seen),
    at,
    kind,
    currency: isPaid ? currency : booked,
    amountMinor: kind === 'taken' ? came : 0 - came,
    feeMinor: columns.feeDirection ? 0 - signed(fee, cell(columns.feeDirection), format) : fee,
    feeCurrency,
    orderNames: [...new Set(names(columns.orders).flatMap(ordersIn))],
    movementNames: names(columns.movements),
    payoutId: cell(columns.payout).slice(0, NAME_CHARS_MAX) || null,
  }
}

/** Lines without an id that are equal in every cell are told apart by their number among each other. */
function countedId(row: Row, seen: Map<string, number>): string {
  const digest = createHash('sha256').update(JSON.stringify(row)).digest('base64url').slice(0, 22)
  const count = (seen.get(digest) ?? 0) + 1
  seen.set(digest, count)
  return `${digest}-${count}`
}

/** Drivers write our reference alone, with our operation behind a dot, or behind the shop's order number and a slash. */
function ordersIn(text: string): string[] {
  return [text, text.split('.')[0] ?? '', text.split('/').at(-1) ?? ''].filter((each) => each !== '')
}

const signed = (minor: number, direction: string, { credit }: StatementFormat) =>
  credit === undefined || minor < 0 ? minor : direction === credit ? minor : 0 - minor
const withSignOf = (minor: number, other: number) => (other < 0 ? 0 - Math.abs(minor) : Math.abs(minor))

/** A line without a kind is money that came or went. */
function kindOf(text: string, minor: number, { columns, kinds }: StatementFormat): LineKind {
  const plain = minor < 0 ? 'returned' : 'taken'
  if (columns.kind === undefined) return plain
  const exact = kinds[text]
  if (exact) return exact
  const starting = Object.keys(kinds)
    .filter((each) => each.endsWith('*') && text.startsWith(each.slice(0, -1)))
    .sort((one, other) => other.length - one.length)[0]
  return starting === undefined ? 'other' : (kinds[starting] ?? 'other')
}

/** Returns the exact amount in minor units of the currency, also where a statement writes fewer decimals, or more zeros. */
function readMinor(text: string, currency: string, { number, format }: Where): number {
  const digits = digitsOf(currency)
  const plain = text
    .replaceAll(/[\s\u00a0\u202f'’]/g, '')
    .replaceAll(format.decimalSign === '.' ? ',' : '.', '')
  const [, sign, open, whole = '', decimals = ''] =
    /^([-+−])?(\()?(\d+)(?:[.,](\d+))?\)?$/.exec(plain.replace(/^[^\d(+−-]+/, '')) ?? []
  const extra = decimals.slice(digits)
  if (whole === '' || /[1-9]/.test(extra) || (format.units === 'minor' && decimals !== ''))
    throw unreadable(
      `Line ${number}: "${text}" is no amount. Is the sign before the decimals a "${format.decimalSign}"?`,
      'statement_line',
      number,
    )
  const minor = Number(
    format.units === 'minor' ? whole : whole + decimals.slice(0, digits).padEnd(digits, '0'),
  )
  if (minor > MINOR_MAX)
    throw unreadable(`Line ${number}: the amount "${text}" is too large.`, 'statement_line', number)
  return sign === '-' || sign === '−' || open ? 0 - minor : minor
}
