/**
 * OFX as a table: a row for each transaction. Version 1 is SGML, whose elements mostly have no end, and version 2 is XML.
 * Source, read on 2026-11-29: https://financialdataexchange.org/ofx (OFX Banking Specification).
 */

import { findEncoding, textOf } from '../encoding.ts'
import { INSTEAD, type Row, type StatementFile, unreadable } from '../file.ts'
import { oneAccount } from './accounts.ts'

const COLUMNS = [
  'ofx',
  'date',
  'amount',
  'currency',
  'id',
  'status',
  'references',
  'text',
  'movements',
  'direction',
]
const TRANSACTION_CHARS_MAX = 65_536
/** More than the name of the element, some blanks and an amount. */
const AMOUNT_CHARS = 64
/** Kinds that say a direction. Amounts should have a sign, which counts more: a refund of a card may be a POS with a plus. */
const DIRECTIONS: Record<string, 'credit' | 'debit'> = {
  CREDIT: 'credit',
  DEP: 'credit',
  DIRECTDEP: 'credit',
  DIV: 'credit',
  DEBIT: 'debit',
  FEE: 'debit',
  SRVCHG: 'debit',
  CHECK: 'debit',
  ATM: 'debit',
  POS: 'debit',
  DIRECTDEBIT: 'debit',
}
/** A card's money may come back with one of these. */
const EITHER_WAY = ['ATM', 'POS']
/** Money that went, by the specification. Where others have a sign, a plus beside these contradicts it. */
const WENT = new Set([
  ...Object.keys(DIRECTIONS).filter((type) => DIRECTIONS[type] === 'debit' && !EITHER_WAY.includes(type)),
  'CASH',
  'PAYMENT',
  'REPEATPMT',
])
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

export async function* ofxRows(file: StatementFile): AsyncGenerator<Row> {
  yield { cells: COLUMNS, line: 1 }
  let [rest, currency, line] = ['', '', 1]
  const expectAccount = oneAccount()
  const isSigned = await hasSigns(file)
  for await (const text of textOf(file, await findEncoding(file))) {
    rest += text
    for (;;) {
      const start = rest.search(/<STMTTRN>/i)
      const before = start < 0 ? rest : rest.slice(0, start)
      for (const [, account = ''] of before.matchAll(ACCOUNT)) expectAccount(account.trim())
      currency = /<CURDEF>\s*([A-Z]{3})/i.exec(before)?.[1] ?? currency
      const length =
        start < 0 ? -1 : rest.slice(start + 9).search(/<\/STMTTRN>|<STMTTRN>|<\/BANKTRANLIST>|<\/OFX>/i)
      if (length < 0) break
      yield {
        cells: cellsOf(rest.slice(start + 9, start + 9 + length), { currency, number: line, isSigned }),
        line: ++line,
      }
      rest = rest.slice(start + 9 + length)
    }
    if (rest.length > TRANSACTION_CHARS_MAX)
      throw unreadable(`Transaction ${line} of the file does not end.`, 'statement_line', line)
  }
  if (!/<\/OFX>\s*$/i.test(rest))
    throw unreadable('The OFX file does not end: it was cut off. Download it again.', 'statement_kind')
}

/** The number of the account of this statement. The number of a recipient is within a transaction. */
const ACCOUNT = /<(?:BANK|CC)ACCTFROM>[\s\S]*?<ACCTID>([^<\r\n]*)/gi

/** Whether any amount of the file has a minus. Then the others are money that came. */
async function hasSigns(file: StatementFile): Promise<boolean> {
  let end = ''
  for await (const text of textOf(file, await findEncoding(file))) {
    const part = end + text
    if (/<TRNAMT>\s*[-−][\s0.,]*[1-9]/i.test(part)) return true
    end = part.slice(-AMOUNT_CHARS)
  }
  return false
}

function cellsOf(
  text: string,
  { currency, number, isSigned }: { currency: string; number: number; isSigned: boolean },
): string[] {
  const values = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(/<([\w.]+)>([^<\r\n]*)/g))
    if (value.trim() !== '') values.set(name.toUpperCase(), plain(value.trim()))
  const of = (...names: string[]) => names.flatMap((name) => values.get(name) ?? []).join(' ')
  const missing = ['DTPOSTED', 'TRNAMT'].find((name) => of(name) === '')
  if (missing)
    throw unreadable(
      `Transaction ${number} of the OFX file has no ${missing}. ${INSTEAD}`,
      'statement_line',
      number,
    )
  if (of('CORRECTFITID') !== '')
    throw unreadable(
      `Transaction ${number} of the OFX file corrects or deletes an earlier one. Export the statement again, as CSV if it is still there.`,
      'statement_line',
      number,
    )
  const type = of('TRNTYPE').toUpperCase()
  // ORIGCURRENCY is only the currency before the bank's exchange.
  const own = /<CURRENCY>[\s\S]*?<CURSYM>\s*([A-Z]{3})/i.exec(text)?.[1] ?? currency
  return [
    '',
    of('DTPOSTED'),
    of('TRNAMT'),
    own,
    of('FITID'),
    'BOOK',
    of('REFNUM', 'CHECKNUM'),
    of('NAME', 'MEMO'),
    '',
    isSigned ? bySign(of('TRNAMT'), type, number) : (DIRECTIONS[type] ?? ''),
  ]
}

function bySign(amount: string, type: string, number: number): 'credit' | 'debit' {
  if (/^[-−]/.test(amount)) return 'debit'
  if (WENT.has(type) && /[1-9]/.test(amount))
    throw unreadable(
      `Transaction ${number} of the OFX file is a ${type}, and its amount ${amount} has no minus, which others have. Export the statement again, as CSV if it is still there.`,
      'statement_line',
      number,
    )
  return 'credit'
}

const plain = (text: string) => text.replaceAll(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
