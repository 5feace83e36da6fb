/**
 * camt.053 and camt.054 of ISO 20022 as a table: a row for each entry, and for each payment of an entry that has several.
 * Source, read on 2026-11-29: https://www.iso20022.org/iso-20022-message-definitions (Bank-to-Customer Cash Management).
 */
import type { CurrencyCode } from '../../../contract/fields.ts'
import { decimalAmount, digitsOf } from '../../../payments/money.ts'
import { readAmount } from '../../../written/amount.ts'
import { findEncoding, textOf } from '../encoding.ts'
import { INSTEAD, type Row, type StatementFile, unreadable } from '../file.ts'
import { oneAccount } from './accounts.ts'
import { newXmlReader } from './xml.ts'

export const CAMT_COLUMNS = [
  'camt',
  'date',
  'amount',
  'currency',
  'id',
  'status',
  'references',
  'text',
  'movements',
]

type Part = {
  amount: string
  currency: string
  isDebit: boolean | null
  id: string
  references: string[]
  texts: string[]
}
type Entry = Part & { date: string; status: string; parts: Part[] }

const newPart = (): Part => ({ amount: '', currency: '', isDebit: null, id: '', references: [], texts: [] })

export async function* camtRows(file: StatementFile): AsyncGenerator<Row> {
  yield { cells: CAMT_COLUMNS, line: 1 }
  const rows: Row[] = []
  let entry: Entry | null = null
  let currency = ''
  let [number, entries] = [1, 0]
  let isWhole = false
  const expectAccount = oneAccount()
  const reader = newXmlReader({
    open(path, { Ccy = '' }) {
      const name = path.at(-1)
      if (name === 'Ntry') entry = { ...newPart(), date: '', status: '', parts: [] }
      else if (name === 'TxDtls' && entry) entry.parts.push(newPart())
      else if (name === 'Amt') currency = Ccy
    },
    close(path, text) {
      const name = path.at(-1) ?? ''
      if (name.startsWith('BkToCstmr')) isWhole = true
      if ((name === 'IBAN' || name === 'Id') && ACCOUNT.test(path.join('/'))) expectAccount(text)
      if (!entry) return
      if (name !== 'Ntry') return take(entry, path.slice(path.lastIndexOf('Ntry') + 1), text, currency)
      for (const cells of rowsOf(entry, ++entries)) rows.push({ cells, line: ++number })
      entry = null
    },
  })
  for await (const text of textOf(file, await findEncoding(file))) {
    reader.write(text)
    yield* rows.splice(0)
  }
  // The end of a file that was cut off closes every element that is open.
  if (!isWhole)
    throw unreadable(`The camt file does not end: it was cut off. Download it again.`, 'statement_kind')
  reader.end()
  yield* rows
}

/** The account of a statement. The accounts of payers and recipients have other names. */
const ACCOUNT = /(?:^|\/)(?:Stmt|Ntfctn|Rpt)\/Acct\/Id\/(?:IBAN|Othr\/Id)$/
const REFERENCES = ['NtryRef', 'EndToEndId', 'InstrId', 'TxId', 'MsgId', 'Ref']
const DIRECTIONS: Record<string, boolean> = { CRDT: false, DBIT: true }
const TEXTS = ['Ustrd', 'AddtlNtryInf', 'AddtlTxInf', 'AddtlRmtInf']

function take(entry: Entry, path: readonly string[], text: string, currency: string): void {
  const name = path.at(-1) ?? ''
  const parent = path.at(-2) ?? ''
  const isPart = path.includes('TxDtls')
  const part = (isPart ? entry.parts.at(-1) : null) ?? entry
  const isOwn = path.length === 1 || (isPart && parent === 'TxDtls')
  if (name === 'Amt' && (isOwn || (parent === 'TxAmt' && part.amount === ''))) {
    part.amount = text
    part.currency = currency
  } else if (name === 'CdtDbtInd' && isOwn) part.isDebit = DIRECTIONS[text] ?? null
  else if (parent === 'BookgDt') entry.date = text
  else if (parent === 'ValDt' && entry.date === '') entry.date = text
  else if ((name === 'Sts' && path.length === 1 && text !== '') || (parent === 'Sts' && name === 'Cd'))
    entry.status = text
  else if (name === 'AcctSvcrRef') part.id = text
  else if (REFERENCES.includes(name) && text !== '' && text !== 'NOTPROVIDED') part.references.push(text)
  else if (TEXTS.includes(name)) part.texts.push(text)
}

/** @throws AppError validation_failed for an entry without a direction or a day */
function rowsOf(entry: Entry, number: number): string[][] {
  const missing =
    entry.isDebit === null ? 'CdtDbtInd' : entry.date === '' && isBooked(entry) ? 'BookgDt or ValDt' : null
  if (missing)
    throw unreadable(
      `Entry ${number} of the camt file has no ${missing}. ${INSTEAD}`,
      'statement_line',
      number,
    )
  const parts = partsOf(entry)
  // The direction has an element of its own, so a sign beside the amount would be ambiguous.
  if (parts.some(({ amount }) => /^[-+−]/.test(amount)))
    throw unreadable(
      `Entry ${number} of the camt file has an amount with a sign. ${INSTEAD}`,
      'statement_line',
      number,
    )
  return parts.map((part, at) => {
    const id = part.id || (entry.id === '' || parts.length === 1 ? entry.id : `${entry.id}/${at + 1}`)
    const sign = isDebit(part, entry) ? '-' : ''
    return [
      '',
      entry.date,
      sign + part.amount,
      part.currency || entry.currency,
      id,
      entry.status || 'BOOK',
      part.references.join(' '),
      part.texts.join(' '),
      '',
    ]
  })
}

const isBooked = ({ status }: Entry) => status === '' || status === 'BOOK'
const isDebit = (part: Part, entry: Entry) => part.isDebit ?? entry.isDebit ?? false

/**
 * The payments of an entry, if their amounts say what it has moved. The bank may have taken something off their sum: that is a line of
 * its own, so that the lines have the sum of the entry. Payments in another currency say less than the entry.
 */
function partsOf(entry: Entry): Part[] {
  const { parts, currency } = entry
  const isOfOwn = parts.every((part) => part.amount !== '' && (part.currency || currency) === currency)
  if (parts.length < 2 || !isOfOwn) return [joined(entry)]
  const minors = [entry, ...parts].map((part) => minorOf(part, entry))
  const [whole = 0, ...each] = minors
  const rest = each.reduce((left, minor) => left - minor, whole)
  if (rest === 0 || Number.isNaN(rest)) return parts
  const amount = decimalAmount(Math.abs(rest), currency as CurrencyCode)
  return [...parts, { ...newPart(), amount, currency, isDebit: rest < 0 }]
}

function joined(entry: Entry): Part {
  const all = [entry, ...entry.parts]
  return {
    ...entry,
    references: all.flatMap(({ references }) => references),
    texts: all.flatMap(({ texts }) => texts),
  }
}

function minorOf(part: Part, entry: Entry): number {
  const digits = /^[A-Z]{3}$/.test(entry.currency) ? digitsOf(entry.currency) : 2
  const read = readAmount(part.amount, { digits, decimalSign: '.' })
  const minor = read.is === 'amount' ? read.minor : read.is === 'ambiguous' ? read.byPoint : Number.NaN
  return isDebit(part, entry) ? 0 - minor : minor
}
