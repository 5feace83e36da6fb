/**
 * camt.053 and camt.054 of ISO 20022 as a table: a row for each entry, and for each payment of an entry that has several.
 * Source, read on 2026-11-29: https://www.iso20022.org/iso-20022-message-definitions (Bank-to-Customer Cash Management).
 */
import { findEncoding, textOf } from './encoding.ts'
import type { Row, StatementFile } from './file.ts'
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
  let number = 1
  const reader = newXmlReader({
    open(path, { Ccy = '' }) {
      const name = path.at(-1)
      if (name === 'Ntry') entry = { ...newPart(), date: '', status: '', parts: [] }
      else if (name === 'TxDtls' && entry) entry.parts.push(newPart())
      else if (name === 'Amt') currency = Ccy
    },
    close(path, text) {
      if (!entry) return
      if (path.at(-1) !== 'Ntry') return take(entry, path.slice(path.lastIndexOf('Ntry') + 1), text, currency)
      for (const cells of rowsOf(entry)) rows.push({ cells, line: ++number })
      entry = null
    },
  })
  for await (const text of textOf(file, await findEncoding(file))) {
    reader.write(text)
    yield* rows.splice(0)
  }
  reader.end()
  yield* rows
}

const REFERENCES = ['NtryRef', 'EndToEndId', 'InstrId', 'TxId', 'MsgId', 'Ref']
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
  } else if (name === 'CdtDbtInd' && isOwn) part.isDebit = text === 'DBIT'
  else if (parent === 'BookgDt') entry.date = text
  else if (parent === 'ValDt' && entry.date === '') entry.date = text
  else if ((name === 'Sts' && path.length === 1 && text !== '') || (parent === 'Sts' && name === 'Cd'))
    entry.status = text
  else if (name === 'AcctSvcrRef') part.id = text
  else if (REFERENCES.includes(name) && text !== '' && text !== 'NOTPROVIDED') part.references.push(text)
  else if (TEXTS.includes(name)) part.texts.push(text)
}

/** The amount of an entry is the sum of its payments. */
function rowsOf(entry: Entry): string[][] {
  const hasParts = entry.parts.length > 1 && entry.parts.every(({ amount }) => amount !== '')
  const joined = (name: 'references' | 'texts') => [
    ...entry[name],
    ...entry.parts.flatMap((part) => part[name]),
  ]
  const parts: Part[] = hasParts
    ? entry.parts
    : [{ ...entry, references: joined('references'), texts: joined('texts') }]
  return parts.map(({ amount, currency, isDebit, id, references, texts }, at) => {
    const sign = (isDebit ?? entry.isDebit) ? '-' : ''
    const name = id || (entry.id === '' ? '' : hasParts ? `${entry.id}/${at + 1}` : entry.id)
    const status = entry.status || 'BOOK'
    return [
      '',
      entry.date,
      sign + amount,
      currency || entry.currency,
      name,
      status,
      references.join(' '),
      texts.join(' '),
      '',
    ]
  })
}
