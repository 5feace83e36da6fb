/**
 * What a whole file shows of how it writes amounts and days. A single cell such as 1.250 or 05/06/2026 says nothing. The cells above
 * and below it do.
 */
import { digitsOf } from '../../payments/money.ts'
import { type Mark, readAmount } from '../../written/amount.ts'
import { DAY_ORDERS, type DayOrder } from '../../written/time.ts'
import { type Direction, newDirection } from './balance.ts'
import { type Cells, foldName, isEmptyAmount, newSieve, type Skip } from './columns.ts'
import { newAccounts } from './containers/accounts.ts'
import type { Layout } from './describe.ts'
import type { Row, SeenText } from './file.ts'
import type { StatementFormat } from './format.ts'
import { currencyStated } from './layout.ts'
import { daysOf, hasTwoDays } from './roles.ts'
import { newWidths, type Table } from './table.ts'
import { meaningfulColumns, seeWords, WORDS_KEPT, type Words, wordOf } from './words.ts'

export type Evidence = {
  lines: number
  /** The first amount that needs a point before its decimals, that needs a comma, and that may have either. */
  point: SeenText | null
  comma: SeenText | null
  either: SeenText | null
  /** An amount that has three decimals for certain, such as 0.850, and one that has another number. */
  three: SeenText | null
  notThree: SeenText | null
  /** The orders that all days allow, and the first day that has two meanings. */
  orders: DayOrder[]
  twoDays: SeenText | null
  /** The first and the last day under each order. */
  spans: Map<DayOrder, Span>
  /** The first day that leaves no order. */
  noOrder: SeenText | null
  /** The texts beside amounts, and how often each occurs. The empty text: nothing. */
  currencies: Map<string, number>
  fees: { plus: number; minus: number }
  debits: { plus: number; minus: number }
  /** Whether any amount is negative. */
  hasMinus: boolean
  /** The first amount with a plus or with a word for a credit, and the first one without any sign. */
  marked: SeenText | null
  unmarked: SeenText | null
  words: Record<(typeof WORDS)[number], Map<string, number>>
  /** What the balance says about amounts without a sign. */
  balance: Direction
  /** A currency between the lines that differs from the one above them. */
  otherCurrency: SeenText | null
  /** The words of each column that has a few of them, by its place. The empty text is one. */
  few: Map<number, Words>
  skipped: Skipped
}

export type Span = { first: number; last: number }

const WORDS = ['kind', 'status', 'direction', 'currency'] as const
const SKIPPED_SHOWN = 20

/** @throws AppError validation_failed for a row that is neither a line nor anything else */
export async function gatherEvidence(table: Table, format: StatementFormat, cells: Cells): Promise<Evidence> {
  const evidence = emptyEvidence(table.layout)
  const whyNot = newSieve(format, table.layout, cells)
  const numbers = numberColumns(table, format)
  const widths = table.container === 'csv' ? newWidths(table) : null
  const direction = newDirection(decimalsOf(format.currency ?? ''))
  const seeAccount = newAccounts()
  const kept = meaningfulColumns(table.layout, format)
  const { balance = -1 } = table.layout.roles
  for await (const row of table.rows()) {
    const skip = whyNot(row)
    seeAccount(row, skip)
    if (skip) {
      addSkipped(evidence.skipped[skip], row.line)
      if (skip === 'text') seeSection(evidence, row, table.layout)
      continue
    }
    widths?.see(row)
    evidence.lines++
    seeDay(evidence, row, cells)
    seeAmounts(evidence, row, { cells, format, numbers })
    direction.see(row.line, cells.of(row, 'amount'), row.cells[balance] ?? '', cells.of(row, 'at'))
    for (const name of WORDS) {
      const word = cells.of(row, name)
      count(evidence.words[name], name === 'direction' ? wordOf(word) : word)
    }
    seeWords(evidence.few, row, { sign: signOf(row, cells), kept })
  }
  widths?.end()
  evidence.balance = direction.found(evidence.orders)
  return evidence
}

function seeSection(evidence: Evidence, row: Row, { currency }: Layout): void {
  const text = currencyStated(row)
  if (text !== undefined && currency !== undefined && text !== currency)
    evidence.otherCurrency ??= { text, line: row.line }
}

const emptyEvidence = ({ names }: Layout): Evidence => ({
  lines: 0,
  point: null,
  comma: null,
  either: null,
  three: null,
  notThree: null,
  orders: [...DAY_ORDERS],
  twoDays: null,
  spans: new Map(),
  noOrder: null,
  currencies: new Map(),
  fees: { plus: 0, minus: 0 },
  debits: { plus: 0, minus: 0 },
  hasMinus: false,
  marked: null,
  unmarked: null,
  few: new Map([...names.keys()].map((at) => [at, new Map()])),
  words: { kind: new Map(), status: new Map(), direction: new Map(), currency: new Map() },
  balance: { came: 0, went: null, open: null },
  otherCurrency: null,
  skipped: noneSkipped(),
})

export type Skipped = Record<Skip, { count: number; lines: number[] }>
export function noneSkipped(): Skipped {
  const none = () => ({ count: 0, lines: [] })
  return {
    above: none(),
    blank: none(),
    head: none(),
    total: none(),
    text: none(),
    section: none(),
    status: none(),
  }
}

export function addSkipped(to: { count: number; lines: number[] }, line: number): void {
  to.count++
  if (to.lines.length < SKIPPED_SHOWN) to.lines.push(line)
}

function count(words: Map<string, number>, word: string): void {
  if (words.has(word) || words.size < WORDS_KEPT) words.set(word, (words.get(word) ?? 0) + 1)
}

/** The column that has the currency of each column of numbers. */
type Numbers = Map<number, 'currency' | 'feeCurrency' | 'paidCurrency'>

/** A balance or a net sum is not stored, but it shows how the file writes numbers. */
function numberColumns({ layout }: Table, { columns }: StatementFormat): Numbers {
  const { balance, net } = layout.roles
  const numbers: Numbers = new Map(
    [balance, net].flatMap((at) => (at === undefined ? [] : [[at, 'currency']])),
  )
  const add = (column: string | undefined, currency: 'currency' | 'feeCurrency' | 'paidCurrency') => {
    const at =
      column === undefined ? -1 : layout.names.findIndex((name) => foldName(name) === foldName(column))
    if (at >= 0) numbers.set(at, currency)
  }
  for (const name of ['amount', 'debit', 'credit'] as const) add(columns[name], 'currency')
  add(columns.fee, 'feeCurrency')
  add(columns.paidAmount, 'paidCurrency')
  return numbers
}

function seeDay(evidence: Evidence, row: Row, cells: Cells): void {
  const text = cells.of(row, 'at').replace(/ [A-Z]{2,4}$/, '')
  // A line that has moved nothing may have no day. The reader of the line refuses any other.
  if (text === '') return
  const days = daysOf(text)
  const rest = evidence.orders.filter((order) => days.has(order))
  if (rest.length === 0 && evidence.orders.length > 0) evidence.noOrder = { text, line: row.line }
  evidence.orders = rest
  if (evidence.twoDays === null && hasTwoDays(text)) evidence.twoDays = { text, line: row.line }
  for (const [order, at] of days) {
    const { first, last } = evidence.spans.get(order) ?? { first: at, last: at }
    evidence.spans.set(order, { first: Math.min(first, at), last: Math.max(last, at) })
  }
}

function seeAmounts(
  evidence: Evidence,
  row: Row,
  { cells, format, numbers }: { cells: Cells; format: StatementFormat; numbers: Numbers },
): void {
  const booked = cells.of(row, 'currency') || format.currency || ''
  const digits = decimalsOf(booked)
  for (const [at, currency] of numbers) {
    const text = row.cells[at] ?? ''
    const own = currency === 'currency' ? '' : cells.of(row, currency)
    if (text !== '') seeNumber(evidence, { text, line: row.line }, own === '' ? digits : decimalsOf(own))
  }
  for (const name of ['amount', 'debit', 'credit'] as const) {
    const text = cells.of(row, name)
    if (text === '' || isEmptyAmount(text)) continue
    const { currencies, mark } = besideOf(text, digits)
    count(evidence.currencies, currencies)
    const isMinus = mark === '-' && /[1-9]/.test(text)
    evidence.hasMinus ||= isMinus
    if (mark === '+') evidence.marked ??= { text, line: row.line }
    else if (!isMinus && /[1-9]/.test(text)) evidence.unmarked ??= { text, line: row.line }
    if (name === 'debit') evidence.debits[isMinus ? 'minus' : 'plus']++
  }
  const fee = cells.of(row, 'fee')
  if (/[1-9]/.test(fee) && !isNegative(cells.of(row, 'amount'), digits))
    evidence.fees[isNegative(fee, digits) ? 'minus' : 'plus']++
}

const decimalsOf = (code: string) => (/^[A-Za-z]{3}$/.test(code) ? digitsOf(code.toUpperCase()) : 2)

function besideOf(text: string, digits: number): { currencies: string; mark: Mark | null } {
  const read = /^[\d.,]+$/.test(text) ? null : readAmount(text, { digits })
  if (!read || read.is === 'unreadable') return { currencies: '', mark: null }
  return { currencies: read.currencies.join(' '), mark: read.mark }
}

function signOf(row: Row, cells: Cells): 'minus' | 'plus' | null {
  const amounts = [cells.of(row, 'amount'), cells.of(row, 'debit'), cells.of(row, 'credit')]
  const text = amounts.find((amount) => /[1-9]/.test(amount))
  return text === undefined ? null : isNegative(text, 2) ? 'minus' : 'plus'
}
const isNegative = (text: string, digits: number) => besideOf(text, digits).mark === '-' && /[1-9]/.test(text)

type NumberForm = { sign: '.' | ',' | 'either' | null; decimals: 'three' | 'other' | null }
const forms = new Map<string, NumberForm>()
const FORMS_KEPT = 5_000

function seeNumber(evidence: Evidence, seen: SeenText, digits: number): void {
  // What an amount shows depends on its form, and a file has few of these.
  const key = `${digits} ${seen.text.replaceAll(/[1-9]/g, '9')}`
  const form = forms.get(key) ?? formOf(seen.text, digits)
  if (forms.size >= FORMS_KEPT) forms.clear()
  forms.set(key, form)
  if (form.sign === '.') evidence.point ??= seen
  else if (form.sign === ',') evidence.comma ??= seen
  else if (form.sign === 'either') evidence.either ??= seen
  if (form.decimals === 'three') evidence.three ??= seen
  else if (form.decimals === 'other') evidence.notThree ??= seen
}

function formOf(text: string, digits: number): NumberForm {
  const [point, comma] = (['.', ','] as const).map(
    (decimalSign) => readAmount(text, { digits, decimalSign }).is,
  )
  if (point === 'ambiguous' || comma === 'ambiguous') return { sign: 'either', decimals: null }
  const sign = point === comma ? null : point === 'amount' ? '.' : comma === 'amount' ? ',' : null
  const decimals = sign === null ? '' : (text.slice(text.lastIndexOf(sign) + 1).match(/^\d+/)?.[0] ?? '')
  return { sign, decimals: decimals === '' ? null : decimals.length === 3 ? 'three' : 'other' }
}
