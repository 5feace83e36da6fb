/**
 * Shapes of statements that banks and providers write, each with what is right. `A` and `B` are two payments of 1,234.50 and 23.75
 * US dollars on 28 November 2026.
 */
import { describe, expect, test } from 'vitest'
import { type Given, linesOf, understandText } from '../../testing/books/reading.ts'

const A = 'MAPZ2VEK'
const B = '7K3M9QXD'
const USD: Given = { answers: { currency: 'USD' } }

/** Windows-1251 and Windows-1252, of the letters that are used here. */
function encoded(text: string, table: 'cyrillic' | 'western'): Buffer {
  const byte = (char: string) => {
    const code = char.codePointAt(0) ?? 0
    if (code < 0x80) return code
    return table === 'western' ? code : code - 0x410 + 0xc0
  }
  return Buffer.from([...text].map(byte))
}
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

const PLAIN = `Date,Reference,Amount,Currency\n2026-11-28,${A},1234.50,USD\n2026-11-28,${B},23.75,USD\n`
const withRows = (head: string, one: string, two: string, end = '') => `${head}\n${one}\n${two}\n${end}`

/** Each file has the two payments, and maybe other lines. */
const SHAPES: Record<string, [content: string | Buffer, given?: Given, others?: number]> = {
  plain: [PLAIN],
  'line ends of DOS, and the sign of its end': [`${PLAIN.replaceAll('\n', '\r\n')}\u001a`],
  'line ends of an old Mac': [PLAIN.replaceAll('\n', '\r')],
  'a byte order mark': [`\ufeff${PLAIN}`],
  'UTF-16 and tabs': [utf16(PLAIN.replaceAll(',', '\t'))],
  'UTF-16 without a mark': [utf16(PLAIN).subarray(2)],
  'UTF-16, the other way round': [utf16(PLAIN).swap16()],
  pipes: [PLAIN.replaceAll(',', '|')],
  'a stated separator': [`sep=;\r\n${PLAIN.replaceAll(',', ';')}`],
  'a stated separator that no guess would find': [`sep=:\n${PLAIN.replaceAll(',', ':')}`],
  'Windows-1251': [
    encoded(`Дата;Назначение;Сумма\n28.11.2026;${A};1234,50\n28.11.2026;Перевод ${B};23,75\n`, 'cyrillic'),
    USD,
  ],
  'Windows-1252': [
    encoded(
      `Buchungstag;Empfänger;Verwendungszweck;Betrag\n28.11.2026;Müller;${A};1.234,50\n28.11.2026;Groß;${B};23,75\n`,
      'western',
    ),
    USD,
  ],
  'above the table the bank, the account and a balance': [
    `"Girokonto";"DE02120300000000202051"\n\n"Kontostand vom 28.11.2026:";"4.093,32 €"\n""\n"Buchungsdatum";"Verwendungszweck";"Betrag ($)"\n"28.11.2026";"${A}";"1.234,50"\n"28.11.2026";"${B}";"23,75"\n`,
  ],
  'above the table a line with a date and an amount': [
    `Statement;28.11.2026;4093,32\nDate;Text;Amount;Currency\n28.11.2026;${A};1234,50;USD\n28.11.2026;${B};23,75;USD\n`,
  ],
  'no names of columns': [
    `28.11.2026;Überweisung ${A};1234,50;;\n28.11.2026;Überweisung ${B};23,75;;\n`,
    USD,
  ],
  'no names of columns, with currencies': [`28.11.2026;${A};"1,234.50";USD\n28.11.2026;${B};23.75;USD\n`],
  'names with line breaks': [
    `"Date","Amount\n(USD)","Reference"\n"2026-11-28","1234.50","${A}"\n"2026-11-28","23.75","${B}"\n`,
  ],
  'names in two rows': [
    `Date,Reference,Amount,Amount\n,,Debit,Credit\n2026-11-28,${A},,1234.50\n2026-11-28,${B},,23.75\n2026-11-28,Fee,5.00,\n`,
    USD,
    1,
  ],
  'names again in the middle': [`${PLAIN}Date,Reference,Amount,Currency\n`],
  'totals below, and a page number': [`${PLAIN}Total,,1258.25,USD\nPage 1 of 1,,,\n`],
  'totals in Russian': [
    withRows(
      'Дата;Назначение платежа;Сумма',
      `28.11.2026;${A};1 234,50`,
      `28.11.2026;${B};23,75`,
      'Итого;;1 258,25\n',
    ),
    USD,
  ],
  'lines of balances before and after': [
    `Date,Description,Amount,Balance\n2026-11-28,Opening balance,,100.00\n2026-11-28,${A},1234.50,1334.50\n2026-11-28,${B},23.75,1358.25\n2026-11-28,Closing balance,1358.25,1358.25\n`,
    USD,
  ],
  'debit and credit': [
    `Date,Description,Debit,Credit,Balance\n2026-11-28,${A},,1234.50,100.00\n2026-11-28,${B},,23.75,200.00\n2026-11-28,Bank fee,5.00,,195.00\n`,
    USD,
    1,
  ],
  'debit and credit, with zeros': [
    withRows(
      'Дата операции;Дебет;Кредит;Назначение платежа',
      `28.11.2026;0,00;1 234,50;${A}`,
      `28.11.2026;0,00;23,75;${B}`,
    ),
    USD,
  ],
  'money out is negative in its column': [
    `Date,Text,Money out,Money in\n2026-11-28,${A},,1234.50\n2026-11-28,${B},,23.75\n2026-11-28,rent,-5.00,\n`,
    USD,
    1,
  ],
  'a bank of Armenia: UTF-16, tabs, preamble, two columns, last line': [
    utf16(
      `Հաշվի քաղվածք\n\nԱմսաթիվ\tՆպատակ\tԵլք\tՄուտք\tՄնացորդ\n28/11/2026\t${A}\t\t1,234.50\t2,000.00\n28/11/2026\t${B}\t\t23.75\t2,023.75\nԸնդամենը\t\t0.00\t1,258.25\t\n`,
    ),
    USD,
  ],
  'a direction in words': [
    `Date;Amount;CdtDbtInd;Text;Currency\n2026-11-28;1234.50;CRDT;${A};USD\n2026-11-28;23.75;CRDT;${B};USD\n2026-11-28;5.00;DBIT;rent;USD\n`,
    {},
    1,
  ],
  'signs behind': [
    `Date;Amount;Text;Currency\n28.11.2026;1.234,50+;${A};USD\n28.11.2026;23,75+;${B};USD\n28.11.2026;5,00-;rent;USD\n`,
    {},
    1,
  ],
  'CR and DR': [
    `Date,Amount,Text,Currency\n28 Nov 2026,"1,234.50 CR",${A},USD\n28 Nov 2026,23.75 CR,${B},USD\n28 Nov 2026,5.00 DR,rent,USD\n`,
    {},
    1,
  ],
  'brackets for money that went': [
    `Date,Amount,Text,Currency\n11/28/2026,"1,234.50",${A},USD\n11/28/2026,23.75,${B},USD\n11/28/2026,(5.00),rent,USD\n`,
    {},
    1,
  ],
  'a sign before the currency': [
    `Date,Reference,Amount\n2026-11-28,${A},$1234.50\n2026-11-28,${B},$23.75\n2026-11-28,fee,-$0.30\n`,
    {},
    1,
  ],
  'a word of the currency behind': [
    `Date,Reference,Amount\n2026-11-28,${A},1234.50 USD\n2026-11-28,${B},23.75 USD\n`,
  ],
  'the euro sign in an account that is kept in dollars, as a person says': [
    `Date;Reference;Amount\n28.11.2026;${A};1234,50 €\n28.11.2026;${B};23,75 €\n`,
    USD,
  ],
  'amounts without a zero before the point': [
    `Date,Text,Amount,Currency\n2026-11-28,${A},1234.50,USD\n2026-11-28,${B},23.75,USD\n2026-11-28,fee,-.50,USD\n`,
    {},
    1,
  ],
  'Swiss thousands': [`Date;Text;Amount;Currency\n28.11.2026;${A};1'234.50;USD\n28.11.2026;${B};23.75;USD\n`],
  'three decimals everywhere': [
    `Date;Text;Amount;Currency\n2026-11-28;${A};1234.500;USD\n2026-11-28;${B};23.750;USD\n2026-11-28;x;0.850;USD\n`,
    {},
    1,
  ],
  'the balance says which sign is before the decimals': [
    `Date;Text;Amount;Balance;Currency\n28.11.2026;${A};1.234,50;4.093,32;USD\n28.11.2026;${B};23,75;4.117,07;USD\n28.11.2026;x;1.250;5.367,07;USD\n`,
    {},
    1,
  ],
  'days in digits alone': [PLAIN.replaceAll('2026-11-28', '20261128')],
  'days with names of months': [PLAIN.replaceAll('2026-11-28', '28 ноя. 2026')],
  'days with two digits of the year': [PLAIN.replaceAll('2026-11-28', '28.11.26')],
  'days with a word for the year': [PLAIN.replaceAll('2026-11-28', '28.11.2026 г. 14:05')],
  'days with offsets': [PLAIN.replaceAll('2026-11-28', '2026-11-28T10:15:30+04:00')],
  'many texts with other separators': [
    `Date;Reference, our or theirs, as given;Amount\n28.11.2026;${A};1234,50\n28.11.2026;${B};23,75\n`,
    USD,
  ],
  'bare quotation marks': [
    `Дата;Плательщик;Назначение;Сумма\n28.11.2026;ООО "Ромашка";${A};1234,50\n28.11.2026;"Ромашка" ООО;${B};23,75\n`,
    USD,
  ],
  'quotation marks as they should be': [
    `Date,Reference,Payer,Amount,Currency\n2026-11-28,${A},"Ani\nSargsyan",1234.50,USD\n2026-11-28,${B},"Say ""hi"", twice",23.75,USD\n`,
  ],
  'a continuation of a text below its line': [
    `Date;Text;Amount;Currency\n28.11.2026;${A} first half;1234,50;USD\n;second half;;\n28.11.2026;${B};23,75;USD\n`,
  ],
  'a column of value dates beside': [
    `Valuta;Buchungstag;Text;Betrag;Währung\n01.12.2026;28.11.2026;${A};1234,50;USD\n01.12.2026;28.11.2026;${B};23,75;USD\n`,
  ],
  'blank columns at the end': [PLAIN.replaceAll('\n', ',,,\n')],
  'a currency in the name of the column': [
    `Date,Text,"Amount, USD"\n2026-11-28,${A},1234.50\n2026-11-28,${B},23.75\n`,
  ],
}

describe.each(Object.entries(SHAPES))('%s', (_, [content, given = {}, others = 0]) => {
  test('is read', async () => {
    const lines = await linesOf(content, given)
    expect(lines).toHaveLength(2 + others)
    const found = (number: string) =>
      lines
        .filter(({ texts }) => texts.some((text) => text.includes(number)))
        .map((line) => ({
          day: line.at.toISOString().slice(0, 10),
          kind: line.kind,
          amountMinor: line.amountMinor,
          currency: line.currency,
        }))
    const right = { day: '2026-11-28', kind: 'taken', currency: 'USD' }
    expect(found(A)).toEqual([{ ...right, amountMinor: 123_450 }])
    expect(found(B)).toEqual([{ ...right, amountMinor: 2_375 }])
  })
})

describe('what can be read in two ways is asked in the words of the file', () => {
  const ask = async (content: string, given: Given = {}) => (await understandText(content, given)).questions
  const amounts = 'Date;Text;Amount;Currency\n2026-11-28;x;1.250;USD\n2026-11-29;y;2.000;USD\n'

  test('a thousand, or one and a quarter', async () => {
    expect(await ask(amounts)).toEqual([
      {
        about: 'amounts',
        text: '1.250',
        line: 2,
        choices: [
          { minor: 125_000, answers: { decimalSign: ',' } },
          { minor: 125, answers: { decimalSign: '.', threeDecimals: true } },
        ],
      },
    ])
    for (const [answers, first] of [
      [{ decimalSign: ',' }, 125_000],
      [{ decimalSign: '.', threeDecimals: true }, 125],
    ] as const)
      expect((await linesOf(amounts, { answers }))[0]?.amountMinor).toBe(first)
  })

  test('a day of May, or of June', async () => {
    const days = 'Date,Text,Amount,Currency\n05/06/2026,x,1.50,USD\n07/06/2026,y,1.50,USD\n'
    expect(await ask(days)).toMatchObject([
      {
        about: 'days',
        text: '05/06/2026',
        line: 2,
        choices: [
          { day: new Date('2026-06-05'), answers: { dates: 'dmy' } },
          { day: new Date('2026-05-06'), answers: { dates: 'mdy' } },
        ],
      },
    ])
    expect(await ask(`${days}25/06/2026,z,1.50,USD\n`)).toEqual([])
    expect(await ask(`${days.replaceAll('05/06', '05/05').replaceAll('07/06', '07/07')}`)).toEqual([])
  })

  test('a currency that nothing in the file says', async () => {
    expect(await ask('Date,Text,Amount\n2026-11-28,x,1.50\n')).toEqual([{ about: 'currency' }])
    expect(await ask('Date,Text,Amount\n2026-11-28,x,kr 1.50\n')).toEqual([{ about: 'currency' }])
  })

  test('words for a direction that nobody knows', async () => {
    const words = 'Date;Amount;Direction;Currency\n2026-11-28;5.00;Zu;USD\n2026-11-28;5.00;Ab;USD\n'
    expect(await ask(words)).toEqual([{ about: 'direction', words: ['Zu', 'Ab'] }])
    const lines = await linesOf(words, { answers: { credit: 'Zu' } })
    expect(lines.map(({ kind }) => kind)).toEqual(['taken', 'returned'])
  })

  test('columns that nobody knows', async () => {
    expect(await ask('Foo;Bar\nx;y\n')).toEqual([
      { about: 'columns', missing: ['?', '?'], columns: ['Foo', 'Bar'] },
    ])
  })
})

test('what is no line is counted, with its line number', async () => {
  const text = `Bank\n\nDate;Text;Amount;Currency\n28.11.2026;${A};1234,50;USD\n\nDate;Text;Amount;Currency\n;more;;\nTotal;;1234,50;USD\n`
  const { evidence } = await understandText(text)
  const counted = Object.entries(evidence.skipped).filter(([, { count }]) => count > 0)
  expect(Object.fromEntries(counted)).toEqual({
    above: { count: 2, lines: [1, 2] },
    head: { count: 2, lines: [3, 6] },
    blank: { count: 1, lines: [5] },
    text: { count: 1, lines: [7] },
    total: { count: 1, lines: [8] },
  })
})

test.each([
  ['%PDF-1.4\n%âãÏÓ', 'This is a PDF.'],
  ['<html><table><tr><td>1</td></tr></table></html>', 'This is a web page'],
  ['{"a":1}', 'This is JSON.'],
  ['1CClientBankExchange\nВерсияФормата=1.03', 'This is an exchange file of 1C.'],
  ['<?xml version="1.0"?><a/>', 'This is XML, but no statement'],
])('%j is refused by its kind, with what to do', async (text, message) => {
  const refused = understandText(text)
  await expect(refused).rejects.toThrow(message)
  await expect(refused).rejects.toThrow('Export the statement from your bank as CSV')
})
