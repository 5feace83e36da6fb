/**
 * MT940 of SWIFT as a table: a row for each statement line (:61:), with the text for the account owner (:86:).
 * Source, read on 2026-11-29: https://www.iso20022.org and the customer statement message of SWIFT's category 9.
 */

import { csvRows } from '../csv.ts'
import { findEncoding, textOf } from '../encoding.ts'
import { INSTEAD, type Row, type StatementFile, unreadable } from '../file.ts'
import { oneAccount } from './accounts.ts'

const COLUMNS = ['mt940', 'date', 'amount', 'currency', 'id', 'status', 'references', 'text', 'movements']
const TEXT_CHARS_MAX = 8_192
/** Value day, day of booking, mark, third letter of the currency, amount, kind, the customer's reference, the bank's reference. */
const LINE = /^(\d{6})(\d{4})?(R?[CD])[A-Z]?(\d{1,12},\d{0,3})[A-Z]\w{3}(.*?)(?:\/\/(.*))?$/
/** No sign separates the parts of a line of SWIFT, so it is read as one cell. */
const NO_SEPARATOR = '\u0000'

type Open = { row: Row; text: string }

export async function* mt940Rows(file: StatementFile): AsyncGenerator<Row> {
  yield { cells: COLUMNS, line: 1 }
  let currency = ''
  let open: Open | null = null
  let isText = false
  let isOpened = false
  const expectAccount = oneAccount()
  for await (const { cells, line } of csvRows(textOf(file, await findEncoding(file)), NO_SEPARATOR)) {
    const text = cells[0] ?? ''
    const [, tag, value = ''] = /^:(\d{2}[A-Z]?):(.*)$/.exec(text) ?? []
    if (tag === undefined) {
      // The text goes on, and a word may be broken in two. Below a line of money the bank may add a text of its own.
      if (open && !/^-\}?$/.test(text) && open.text.length < TEXT_CHARS_MAX)
        open.text += isText ? text : `${text} `
      continue
    }
    isText = tag === '86'
    if (isText && open) open.text += value
    if (tag !== '61' && isText) continue
    if (open) yield closed(open)
    open = tag === '61' ? { row: { cells: cellsOf(value, currency, line), line }, text: '' } : null
    if (tag === '25' || tag === '25P') expectAccount(value.trim())
    if (tag.startsWith('60')) isOpened = true
    if (tag.startsWith('62')) isOpened = false
    // A statement begins with a balance, and a report within the day with the smallest amount that it lists.
    if (tag.startsWith('60') || tag === '34F')
      currency = /^(?:[CD]\d{6})?([A-Z]{3})/.exec(value)?.[1] ?? currency
  }
  if (open) yield closed(open)
  if (isOpened)
    throw unreadable(
      'The MT940 file has no closing balance (:62F:): it was cut off. Download it again.',
      'statement_kind',
    )
}

/** The parts of a German text are numbered: `?20Rechnung ?2112`. */
function closed({ row, text }: Open): Row {
  const cells = [...row.cells]
  cells[7] = text.replaceAll(/\?\d\d/g, '')
  return { ...row, cells }
}

function cellsOf(value: string, currency: string, line: number): string[] {
  const [, day = '', booked, mark = '', amount = '', reference = '', bank = ''] = LINE.exec(value) ?? []
  if (day === '')
    throw unreadable(`Line ${line} is no statement line of MT940. ${INSTEAD}`, 'statement_line', line)
  const isDebit = mark === 'D' || mark === 'RC'
  const names = reference.trim() === 'NONREF' ? '' : reference.trim()
  return [
    '',
    dayOf(day, booked),
    `${isDebit ? '-' : ''}${amount}`,
    currency,
    '',
    'BOOK',
    names,
    '',
    bank.trim(),
  ]
}

/** The day of booking has no year. It is the one nearest to the value day. */
function dayOf(value: string, booked: string | undefined): string {
  const year = 2000 + Number(value.slice(0, 2))
  const [valueMonth, month] = [Number(value.slice(2, 4)), Number(booked?.slice(0, 2) ?? value.slice(2, 4))]
  const shift = month - valueMonth > 6 ? -1 : valueMonth - month > 6 ? 1 : 0
  const rest = booked ?? value.slice(2)
  return `${year + shift}-${rest.slice(0, 2)}-${rest.slice(2, 4)}`
}
