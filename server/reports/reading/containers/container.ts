/**
 * Finds the kind of a statement's file by its first bytes. A file that is not a statement is rejected with the name of its kind and with
 * what to do.
 */

import { utf16Of } from '../encoding.ts'
import { beginningOf, INSTEAD, type Row, type StatementFile, unreadable } from '../file.ts'
import { camtRows } from './camt.ts'
import { mt940Rows } from './mt940.ts'
import { ofxRows } from './ofx.ts'
import { xlsxRows } from './xlsx.ts'

export type Container = 'csv' | 'xlsx' | 'camt' | 'mt940' | 'ofx'

const BEGINNING_BYTES = 4_096

const KNOWN: [RegExp, Container][] = [
  [/^PK[^\p{L}\d\p{P}\s]{2}/u, 'xlsx'],
  [
    /<(?:\w+:)?(?:BkToCstmrStmt|BkToCstmrDbtCdtNtfctn|BkToCstmrAcctRpt)\b|urn:iso:std:iso:20022:tech:xsd:camt\.05[234]/,
    'camt',
  ],
  [/^\s*(?:OFXHEADER:|<\?OFX\b)|<OFX>/i, 'ofx'],
  // A bank may write its own name above the first field.
  [/(?:^|[\r\n])\s*(?:\{1:F01|:20:)/, 'mt940'],
]
const REFUSED: [RegExp, string][] = [
  [/^%PDF-/, 'This is a PDF.'],
  [/^ÐÏ[^\p{L}\s]/u, 'This is a workbook of an old Excel (XLS). Save it as XLSX or CSV.'],
  [
    /^\s*(?:<!doctype html|<html|<table)/i,
    'This is a web page, also if its name ends in .xls. Open it in a spreadsheet and save it as XLSX or CSV.',
  ],
  [/^(?:\x89PNG|\xff\xd8\xff|GIF8)/, 'This is a picture.'],
  [/^1CClientBankExchange/, 'This is an exchange file of 1C.'],
  [/^\{\\rtf/, 'This is a text document (RTF).'],
  [/^!(?:Type|Account|Option):/i, 'This is QIF, which does not say in which order its days are written.'],
  [/^\s*[[{]/, 'This is JSON.'],
  [/^\s*<\?xml/, 'This is XML, but no statement of the kinds camt.053 or camt.054.'],
  [/^(?:[^\p{L}\d\p{P}\s]\u008b|Rar!|7z¼¯)/u, 'This is a packed archive. Unpack it first.'],
]

/** @throws AppError validation_failed */
export async function findContainer(file: StatementFile): Promise<Container> {
  const begin = textOfBeginning(await beginningOf(file, BEGINNING_BYTES))
  const known = KNOWN.find(([sign]) => sign.test(begin))?.[1]
  if (known) return known
  const refused = REFUSED.find(([sign]) => sign.test(begin))?.[1]
  if (refused === undefined) return 'csv'
  throw unreadable(`${refused} ${INSTEAD}`, 'statement_kind')
}

/** Formats are recognized by plain letters, so one encoding is enough for all files but UTF-16. */
function textOfBeginning(bytes: Buffer): string {
  const encoding = utf16Of(bytes)
  return encoding === null
    ? bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '')
    : new TextDecoder(encoding).decode(bytes)
}

export function rowsOfContainer(
  file: StatementFile,
  container: Exclude<Container, 'csv'>,
): AsyncGenerator<Row> {
  if (container === 'xlsx') return xlsxRows(file)
  if (container === 'camt') return camtRows(file)
  return container === 'ofx' ? ofxRows(file) : mt940Rows(file)
}
