/** Statements that are no CSV: camt.053, MT940, OFX and workbooks, and files that would harm a reader. */
import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { linesOf, understandText } from '../../../testing/books/reading.ts'

const A = 'MAPZ2VEK'
const B = '7K3M9QXD'
const RIGHT = [
  ['2026-11-28', 'taken', 123_450, 'USD'],
  ['2026-11-28', 'returned', 500, 'USD'],
]
const read = async (content: string | Buffer) => {
  const lines = await linesOf(content)
  expect(lines[0]?.texts.join(' ')).toContain(A)
  return lines.map(({ at, kind, amountMinor, currency }) => [
    at.toISOString().slice(0, 10),
    kind,
    amountMinor,
    currency,
  ])
}

const entry = (amount: string, mark: string, details: string) =>
  `<Ntry><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${mark}</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-28</Dt></BookgDt><NtryDtls>${details}</NtryDtls></Ntry>`
const camt = (entries: string) =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>${entries}</Stmt></BkToCstmrStmt></Document>`
const details = (text: string, amount = '') =>
  `<TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>${amount}<RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`

test('camt.053', async () => {
  expect(
    await read(camt(entry('1234.50', 'CRDT', details(A)) + entry('5.00', 'DBIT', details('rent')))),
  ).toEqual(RIGHT)
})

test('an entry of several payments is a line for each', async () => {
  const two =
    details(A, '<Amt Ccy="USD">1234.50</Amt><CdtDbtInd>CRDT</CdtDbtInd>') +
    details(B, '<Amt Ccy="USD">23.75</Amt><CdtDbtInd>CRDT</CdtDbtInd>')
  const lines = await linesOf(camt(entry('1258.25', 'CRDT', two)))
  expect(lines.map(({ amountMinor, texts }) => [amountMinor, texts.join()])).toEqual([
    [123_450, A],
    [2_375, B],
  ])
})

test('a pending entry has moved nothing', async () => {
  const pending = entry('9.90', 'CRDT', details(B)).replace('BOOK', 'PDNG')
  expect(await linesOf(camt(entry('1.00', 'CRDT', details(A)) + pending))).toHaveLength(1)
})

test('entities that a document defines itself are not expanded', async () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "${'x'.repeat(1_000)}"><!ENTITY b "${'&a;'.repeat(500)}">]>`
  const text = camt(entry('1.00', 'CRDT', details(`&b; ${A}`))).replace('<Document', `${bomb}<Document`)
  const [line] = await linesOf(text)
  expect(line?.texts.join().length).toBeLessThan(100)
})

test('MT940, also with a word that is broken in two', async () => {
  const text = `:20:X\r\n:25:1/2\r\n:28C:1\r\n:60F:C261127USD100,00\r\n:61:2611281128C1234,50NTRFNONREF//B1\r\n:86:166?00GUTSCHRIFT?20SVWZ+${A.slice(0, 4)}\r\n?21${A.slice(4)}\r\n:61:2611281128D5,NMSCRENT\r\n:86:rent\r\n:62F:C261128USD1329,50\r\n-\r\n`
  expect(await read(text)).toEqual(RIGHT)
})

test.each([
  ['1', ''],
  ['2', '</FITID>'],
])('OFX %s', async (_, end) => {
  const one = (amount: string, id: string, memo: string) =>
    `<STMTTRN><TRNTYPE>X<DTPOSTED>20261128120000[0:GMT]<TRNAMT>${amount}<FITID>${id}${end}\n<MEMO>${memo}</STMTTRN>`
  const text = `OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><CURDEF>USD<BANKTRANLIST>${one('1234.50', '1', `for ${A}`)}${one('-5.00', '2', 'rent &amp; more')}</BANKTRANLIST></BANKMSGSRSV1></OFX>`
  expect(await read(text)).toEqual(RIGHT)
})

const workbook = (rows: string, more: Record<string, Uint8Array> = {}) =>
  Buffer.from(
    zipSync({
      'xl/styles.xml': strToU8(
        '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
      ),
      'xl/sharedStrings.xml': strToU8(
        `<sst><si><t>Date</t></si><si><t>Amount</t></si><si><t>Text</t></si><si><r><t>for </t></r><r><t>${A}</t></r></si></sst>`,
      ),
      'xl/worksheets/sheet1.xml': strToU8(`<worksheet><sheetData>${rows}</sheetData></worksheet>`),
      ...more,
    }),
  )
const HEAD =
  '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="inlineStr"><is><t>Currency</t></is></c></row>'
const USD = (row: number) => `<c r="D${row}" t="inlineStr"><is><t>USD</t></is></c>`

test('a workbook: days and numbers as numbers, texts from its list', async () => {
  const rows = `${HEAD}<row r="2"><c r="A2" s="1"><v>46354</v></c><c r="B2"><v>1234.5</v></c><c r="C2" t="s"><v>3</v></c>${USD(2)}</row><row r="3"><c r="A3" s="1"><v>46354</v></c><c r="B3"><v>-5</v></c>${USD(3)}</row>`
  expect(await read(workbook(rows))).toEqual(RIGHT)
})

test('a number with a third decimal is no thousand', async () => {
  const rows = `${HEAD}<row r="2"><c r="A2" s="1"><v>46354</v></c><c r="B2"><v>1.234</v></c>${USD(2)}</row><row r="3"><c r="A3" s="1"><v>46354</v></c><c r="B3"><v>5</v></c>${USD(3)}</row>`
  await expect(linesOf(workbook(rows))).rejects.toThrow('is no amount')
})

/** Says of the part with this length that it has another one. Nobody can unpack it then. */
function withLength(zip: Buffer, was: number, is: number): Buffer {
  const length = (bytes: number) => {
    const field = Buffer.alloc(4)
    field.writeUInt32LE(bytes)
    return field.toString('latin1')
  }
  return Buffer.from(zip.toString('latin1').replaceAll(length(was), length(is)), 'latin1')
}

test('a workbook that would fill the memory is refused before it is unpacked', async () => {
  const sheet = { 'xl/worksheets/sheet2.xml': new Uint8Array(1_000_003) }
  expect(await understandText(workbook(HEAD, sheet))).toBeDefined()
  await expect(understandText(withLength(workbook(HEAD, sheet), 1_000_003, 101_000_000))).rejects.toThrow(
    'too large',
  )
  await expect(understandText(Buffer.from(zipSync({ 'a.txt': strToU8('x') })))).rejects.toThrow('no workbook')
  await expect(understandText(workbook(HEAD).subarray(0, 200))).rejects.toThrow('cannot be unpacked')
})
