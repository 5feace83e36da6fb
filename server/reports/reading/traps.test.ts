/**
 * Statements that a hasty reader would read as other money or another day, without a word. Each is read right, asked about, or refused
 * with its place. `A` and `B` are two payments of 1,234.50 and 23.75 US dollars on 28 November 2026.
 */
import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { type Given, linesOf, understandText } from '../../testing/books/reading.ts'

const A = 'MAPZ2VEK'
const B = '7K3M9QXD'
const USD: Given = { answers: { currency: 'USD' } }
const HEAD = 'Date;Text;Amount;Currency\n'

const read = async (content: string | Buffer, given: Given = {}) =>
  (await linesOf(content, given)).map(
    ({ at, kind, amountMinor, currency }) =>
      `${at.toISOString().slice(0, 10)} ${kind} ${amountMinor} ${currency}`,
  )
const ask = async (content: string | Buffer, given: Given = {}) =>
  (await understandText(content, given)).questions

const BOTH = ['2026-11-28 taken 123450 USD', '2026-11-28 taken 2375 USD']
const days = (one: string, two = one) => `${HEAD}${one};${A};1234,50;USD\n${two};${B};23,75;USD\n`

describe('heads', () => {
  const below = (row: string) => days('28.11.2026').replace(HEAD, `${HEAD}${row}\n`)
  test.each([['Дата;Назначение;Сумма;Валюта'], ['1;2;3;4']])(
    '%s below the head is a part of it',
    async (row) => {
      expect(await read(below(row))).toEqual(BOTH)
    },
  )
  test('a line whose day cannot be read is none', async () => {
    await expect(linesOf(below('yesterday;x;5,00;USD'))).rejects.toThrow('Line 2: "yesterday" is no date')
  })
  test('two columns of one name are asked about', async () => {
    const text = `Date;Text;Amount;Amount;Currency\n2026-11-28;${A};1234.50;1000.00;USD\n2026-11-29;${B};23.75;20.00;USD\n`
    expect(await ask(text)).toMatchObject([{ about: 'columns' }])
  })
})

test.each([
  ['Cr.', 'Dr.'],
  ['Приход', 'Расход'],
  ['+', '-'],
])('%s and %s are directions', async (came, went) => {
  const text = `Date;Text;Amount;D/C;Currency\n2026-11-28;${A};1234.50;${came};USD\n2026-11-28;x;5.00;${went};USD\n`
  expect(await read(text)).toEqual([BOTH[0], '2026-11-28 returned 500 USD'])
})

test.each([
  ['!Type:Bank\nD11/28/2026', 'This is QIF'],
  ['{\\rtf1 hello}', 'This is a text document (RTF)'],
])('%j is refused by its kind', async (text, message) => {
  await expect(linesOf(text)).rejects.toThrow(message)
})

describe('a separator inside a cell', () => {
  test.each([
    ['decimal commas between commas', `Date,Text,Amount\n2026-11-28,${A},1234,50\n2026-11-28,${B},23,75\n`],
    ['one amount with thousands', `Date,Amount,Text\n2026-11-28,1,234.50,${A}\n2026-11-28,23.75,${B}\n`],
    ['a text with a separator', `${HEAD}28.11.2026;Order;5;1234,50;USD\n28.11.2026;${B};23,75;USD\n`],
  ])('%s is refused with its place', async (_, text) => {
    await expect(linesOf(text, USD)).rejects.toThrow('Line 2 has ')
  })

  const beside = (...rows: string[]) =>
    `Date,Text,Amount,Note\n${rows.map((row) => `2026-11-28,${row}\n`).join('')}`
  test.each([
    ['decimals', beside('A,1234,50,')],
    ['decimals in each line', beside('A,1234,50,', 'B,23,75,')],
    ['decimals in one line', beside('A,20.00,x', 'B,1234,50,')],
    ['thousands', beside('A,1,234.50,')],
    ['a text', beside('A,20.00,x', 'Smith, John,1234.50,')],
    ['decimals before two columns', beside('A,1234,50,,', 'B,23,75,,').replace('Note', 'Note,More')],
  ])('%s cut by a comma, where the last column is empty, is refused', async (_, text) => {
    await expect(linesOf(text, USD)).rejects.toThrow(/Line [23] has \d cells, and the table has/)
  })

  test('a comma behind each line, and an empty last column', async () => {
    const rows = beside('A,1234.50,,', 'B,23.75,checked,')
    expect(await read(rows, USD)).toEqual(BOTH)
    expect(await read(rows.replace('Note', 'Note,'), USD)).toEqual(BOTH)
  })

  test('empty cells behind the table are none', async () => {
    expect(await read(days('28.11.2026').replaceAll('USD\n', 'USD;;\n'))).toEqual(BOTH)
  })
})

describe('days', () => {
  test.each([
    ['26-11-28'],
    ['28-11-26'],
    ['28/11/26'],
    ['11/28/26'],
    ['28.11.26'],
    ['26.11.28'],
    ['28.11.2026.'],
    ['28. 11. 2026'],
    ['2026. 11. 28.'],
    ['28NOV2026'],
    ['28th Nov 2026'],
    ['Sat, 28 Nov 2026'],
    ['Сб, 28.11.2026'],
    ['2026-11-28+04:00'],
    ['2026-11-28T101530'],
    ['28.11.2026 в 10:15'],
    ['28.11.2026 10:15 Uhr'],
    ['2026-11-28 10:15 Asia/Yerevan'],
  ])('%s', async (day) => expect(await read(days(day))).toEqual(BOTH))

  test('many years in a few lines are no reading', async () => {
    const rows = await read(days('26-11-20', '26-11-21'))
    expect(rows.map((row) => row.slice(0, 10))).toEqual(['2026-11-20', '2026-11-21'])
    const german = await read(days('20.11.26', '21.11.26'))
    expect(german.map((row) => row.slice(0, 10))).toEqual(['2026-11-20', '2026-11-21'])
  })

  test('a year of two digits may stand before the name of a month too', async () => {
    expect(await read(days('26-Nov-28'))).toEqual(BOTH)
    expect(await read(days('28-Nov-26'))).toEqual(BOTH)
    expect(await ask(days('26-Nov-20'))).toMatchObject([
      {
        about: 'days',
        choices: [
          { day: new Date('2020-11-26'), answers: { dates: 'dmy' } },
          { day: new Date('2026-11-20'), answers: { dates: 'yymmdd' } },
        ],
      },
    ])
    const first = await read(days('26-Nov-20'), { answers: { dates: 'yymmdd' } })
    expect(first[0]).toContain('2026-11-20')
  })

  test.each([['28.11.2036'], ['28 Nov 2036'], ['2027-01-15']])(
    '%s has not come yet and is refused',
    async (day) => {
      await expect(linesOf(days('28.11.2026').replaceAll('28.11.2026', day))).rejects.toThrow(
        `Line 2: "${day}" is read as 20`,
      )
      expect(await read(days('2026-12-20'))).toHaveLength(2)
    },
  )

  test('a single day that may begin or end with its year is asked about', async () => {
    expect(await ask(days('26-11-20'))).toMatchObject([
      {
        about: 'days',
        choices: [
          { day: new Date('2020-11-26'), answers: { dates: 'dmy' } },
          { day: new Date('2026-11-20'), answers: { dates: 'yymmdd' } },
        ],
      },
    ])
    const first = await read(days('26-11-20'), { answers: { dates: 'yymmdd' } })
    expect(first[0]).toContain('2026-11-20')
  })

  test.each([['٢٨.١١.٢٠٢٦'], ['31.11.2026'], ['2026-11-28']])('%s among others is refused', async (day) => {
    await expect(linesOf(days('28.11.2026', day))).rejects.toThrow(`Line 3: "${day}" is no date`)
  })
})

describe('currencies', () => {
  const head = 'Date;Text;Betrag (EUR);Währung\n'
  const rows = `28.11.2026;${A};1234,50;USD\n28.11.2026;${B};23,75;USD\n`

  test('the name of the amounts and a column that name two are asked about', async () => {
    expect(await ask(head + rows)).toEqual([{ about: 'currency', named: 'EUR' }])
    const answered = await read(head + rows, { answers: { currency: 'EUR' } })
    expect(answered[0]).toBe('2026-11-28 taken 123450 EUR')
    expect(await ask(head + rows.replaceAll('USD', 'eur'))).toEqual([])
  })

  test('a sign and a column that name two are refused', async () => {
    const text = days('28.11.2026').replace('1234,50', '€1234,50')
    await expect(linesOf(text)).rejects.toThrow('Line 2 has the amount €1234,50, and the currency USD')
  })

  test('a second account further down is refused', async () => {
    const part = (code: string, text: string) =>
      `Account currency;${code}\nDate;Text;Amount\n2026-11-28;${text};1234.50\n\n`
    const refused = linesOf(part('USD', A) + part('EUR', B))
    await expect(refused).rejects.toThrow('Line 5 states the currency EUR, and above the table stands USD')
  })

  test('the currency of an operation is not that of the account', async () => {
    const text = `Date;Text;Amount in account currency;Transaction currency\n2026-11-28;${A};47000.00;USD\n`
    expect(await ask(text)).toEqual([{ about: 'currency' }])
  })

  test('a line without one beside lines with one is asked about', async () => {
    const text = days('28.11.2026').replace('23,75;USD', '23,75;')
    expect(await ask(text)).toEqual([{ about: 'currency' }])
    expect(await read(text, USD)).toEqual(BOTH)
  })

  test('"All amounts" names no currency', async () => {
    expect(await ask(`Date;Text;All amounts\n2026-11-28;${A};1.50\n`)).toEqual([{ about: 'currency' }])
  })
})

describe('units', () => {
  test.each([['amount_minor'], ['Amount (cents)'], ['Сумма (коп.)']])('%s', async (name) => {
    const text = `date;text;${name};currency\n2026-11-28;${A};123450;USD\n2026-11-28;${B};2375;USD\n`
    expect(await read(text)).toEqual(BOTH)
  })

  const named = (name: string, ...amounts: string[]) =>
    `Date;Text;${name};Currency\n${amounts.map((amount) => `28.11.2026;A;${amount};USD\n`).join('')}`

  test.each([
    ['Сумма, руб. коп.'],
    ['Сумма (руб.коп.)'],
    ['Сумма (рубли и копейки)'],
    ['Amount (dollars and cents)'],
    ['Amount (units and cents)'],
    ['Գումար (դրամ, լումա)'],
  ])('%s names both parts of an amount', async (name) => {
    expect(await read(named(name, '5000'), USD)).toEqual(['2026-11-28 taken 500000 USD'])
    expect(await read(named(name, '5000,50'), USD)).toEqual(['2026-11-28 taken 500050 USD'])
  })

  test.each([['Amount (USD cents)'], ['amount_minor_usd'], ['Amount (euro cents)'], ['Сумма, коп. (₽)']])(
    '%s: decimals or a person say what it means, and nothing guesses',
    async (name) => {
      await expect(linesOf(named(name, '5000'))).rejects.toThrow(
        'does not say for certain whether 100 is one unit',
      )
      expect(await read(named(name, '5000,50'), USD)).toEqual(['2026-11-28 taken 500050 USD'])
      for (const [units, minor] of [
        ['major', 500_000],
        ['minor', 5_000],
      ] as const) {
        const own = { units, columns: { at: 'Date', amount: name, currency: 'Currency' } }
        expect(await read(named(name, '5000'), { own, ...USD })).toEqual([`2026-11-28 taken ${minor} USD`])
      }
    },
  )

  test('a debit in minor units beside a credit in major ones is refused', async () => {
    const text = 'Date;Text;Debit (cents);Credit;Currency\n28.11.2026;A;;50;USD\n28.11.2026;B;50;;USD\n'
    await expect(linesOf(text)).rejects.toThrow('The column "Credit" does not say for certain')
  })

  test('what a person has said of the units is not changed by a name', async () => {
    const own = { units: 'major', columns: { at: 'Date', amount: 'amount_minor', currency: 'Currency' } }
    expect(await read(named('amount_minor', '5000'), { own })).toEqual(['2026-11-28 taken 500000 USD'])
    const { units: _, ...silent } = own
    expect(await read(named('amount_minor', '5000'), { own: silent })).toEqual(['2026-11-28 taken 5000 USD'])
  })

  test('thousands are refused', async () => {
    const text = `Дата;Назначение;Сумма, тыс. руб.\n28.11.2026;${A};1,50\n`
    await expect(linesOf(text, { answers: { currency: 'RUB' } })).rejects.toThrow('has thousands or millions')
  })
})

describe('directions', () => {
  const withBalance = (...rows: string[]) => `Date;Text;Amount;Balance;Currency\n${rows.join('\n')}\n`

  test('money that went by the balance, and has no sign, is refused', async () => {
    const text = withBalance(
      `2026-11-28;${A};1234.50;2234.50;USD`,
      '2026-11-28;rent;500.00;1734.50;USD',
      `2026-11-28;${B};23.75;1758.25;USD`,
    )
    await expect(linesOf(text)).rejects.toThrow('Line 3: the amount 500.00 has no sign')
  })

  test('where all money went by the balance, it went', async () => {
    const text = withBalance('2026-11-28;x;10.00;90.00;USD', '2026-11-28;y;5.00;85.00;USD')
    expect(await read(text)).toEqual(['2026-11-28 returned 1000 USD', '2026-11-28 returned 500 USD'])
  })

  test('equal amounts: the order of the days says from where the balance counts', async () => {
    const line = (day: number, balance: number) => `2026-11-${day};x;100.00;${balance}.00;USD`
    const kinds = async (text: string) => (await linesOf(text)).map(({ kind }) => kind)
    const went = ['returned', 'returned', 'returned']
    const came = ['taken', 'taken', 'taken']
    expect(await kinds(withBalance(line(28, 700), line(27, 800), line(26, 900)))).toEqual(went)
    expect(await kinds(withBalance(line(26, 900), line(27, 800), line(28, 700)))).toEqual(went)
    expect(await kinds(withBalance(line(28, 900), line(27, 800), line(26, 700)))).toEqual(came)
    expect(await kinds(withBalance(line(26, 700), line(27, 800), line(28, 900)))).toEqual(came)
    const oneDay = withBalance(line(28, 700), line(28, 800), line(28, 900))
    expect(await ask(oneDay)).toEqual([
      { about: 'unsigned', marked: { text: '100.00', line: 2 }, text: '100.00', line: 3 },
    ])
    expect(await read(oneDay, { answers: { unsigned: 'went' } })).toHaveLength(3)
  })

  test('a column of debits alone is money that went', async () => {
    const text = `Date;Text;Debit;Currency\n2026-11-28;rent;5.00;USD\n`
    expect(await read(text)).toEqual(['2026-11-28 returned 500 USD'])
    expect(await read(text.replace('Debit', 'Credit'))).toEqual(['2026-11-28 taken 500 USD'])
  })

  test('a word for a direction that comes later is asked about', async () => {
    const words = (...all: string[]) =>
      `Date;Amount;Direction;Currency\n${all.map((word) => `2026-11-28;5.00;${word};USD\n`).join('')}`
    const answers = { credit: 'Zu', wordsKnown: ['Zu', 'Ab'] }
    expect(await ask(words('Zu', 'Ab'), { answers })).toEqual([])
    expect(await ask(words('Zu', 'Gutschrift'), { answers })).toEqual([
      { about: 'direction', words: ['Zu', 'Gutschrift'] },
    ])
  })

  test('a column with another name may have the status', async () => {
    const text = `Date;Text;Amount;Currency;Info\n2026-11-28;${A};1234.50;USD;Umsatz gebucht\n2026-11-28;${B};23.75;USD;Umsatz vorgemerkt\n`
    expect(await read(text)).toEqual(BOTH.slice(0, 1))
    expect(await read(text.replace('vorgemerkt', 'gebucht'))).toEqual(BOTH)
  })

  test('a status that nobody knows is asked about, also one that comes later', async () => {
    const text = (word: string) =>
      `Date;Text;Amount;Currency;Status\n2026-11-28;x;1.00;USD;Umgesetzt\n2026-11-28;y;1.00;USD;${word}\n`
    expect(await ask(text('Umgesetzt'))).toEqual([{ about: 'status', words: ['Umgesetzt'] }])
    const answers = { statuses: ['Umgesetzt'], wordsKnown: ['Umgesetzt'] }
    expect(await ask(text('Umgesetzt'), { answers })).toEqual([])
    expect(await ask(text('Posted'), { answers })).toEqual([
      { about: 'status', words: ['Umgesetzt', 'Posted'] },
    ])
  })
})

test.each([
  ['Total'],
  ['Итого за период:'],
  ['Kontostand'],
  ['Saldovortrag'],
  ['Previous balance'],
  ['Balance as of 28 Nov 2026'],
  ['Остаток на 28.11.2026'],
])('a row that only says "%s" is no line, with a day too', async (text) => {
  const rows = days('28.11.2026')
  expect(await read(`${rows}28.11.2026;${text};1258,25;USD\n`)).toEqual(BOTH)
  expect(await read(`${rows}28.11.2026;${text} ${A};9,90;USD\n`)).toHaveLength(3)
})

test.each([
  ['a payer', 'Date;Order;Payer;Amount;Currency\n2026-11-28;A1;Total;100.00;USD\n'],
  ['a way to pay', 'Date;Text;Payment method;Amount;Currency\n2026-11-28;A1;Balance;100.00;USD\n'],
  ['a purpose', 'Дата;Номер операции;Назначение;Сумма;Валюта\n28.11.2026;17;Обороты;100,00;USD\n'],
  ['a payer among others', 'Date;Text;Payer;Amount;Currency\n2026-11-28;for A1;Ընդամենը;100.00;USD\n'],
])('%s that is called as a total is: the line is read', async (_, text) => {
  expect(await read(text)).toEqual(['2026-11-28 taken 10000 USD'])
})

test('rows of stars, and sums under their names', async () => {
  const text = `${HEAD}***;***;***;***\n28.11.2026;${A};1234,50;USD\n28.11.2026;${B};23,75;USD\nOpening balance;Count;Closing balance;\n1.000,00;2;2.258,25;\n`
  expect(await read(text)).toEqual(BOTH)
  // A day that cannot be read refuses the file, also below a total.
  const wrong = `${days('28.11.2026')}Total;;1258,25;\n31.11.2026;x;1,00;USD\n`
  await expect(linesOf(wrong)).rejects.toThrow('Line 5: "31.11.2026" is no date')
})

describe('columns that the balance proves', () => {
  const rows = [
    ['28.11.2026', A, '1.234,50', '2.234,50'],
    ['28.11.2026', 'rent', '-500,00', '1.734,50'],
    ['28.11.2026', B, '23,75', '1.758,25'],
  ]
  const right = [BOTH[0], '2026-11-28 returned 50000 USD', BOTH[1]]
  const fileOf = (all: string[][]) => `${all.map((row) => row.join(';')).join('\n')}\n`
  const split = (empty: string) =>
    rows.map(([day = '', text = '', amount = '', balance = '']) =>
      amount.startsWith('-')
        ? [day, text, amount.slice(1), empty, balance]
        : [day, text, empty, amount, balance],
    )

  test.each([
    ['one column', rows],
    ['debit and credit', split('')],
    ['debit and credit with zeros', split('0,00')],
    ['names that nobody knows', [['Xa', 'Xb', 'Xc', 'Xd'], ...rows]],
  ])('%s', async (_, all) => expect(await read(fileOf(all), USD)).toEqual(right))

  test('the newest line first', async () => {
    expect(await read(fileOf(rows.toReversed()), USD)).toEqual(right.toReversed())
  })

  test('what it does not prove is asked about', async () => {
    const unproven = fileOf(rows.map(([day = '', text = '', amount = '']) => [day, text, amount, '2,00']))
    expect(await ask(unproven, USD)).toMatchObject([{ about: 'columns' }])
    expect(await ask(fileOf(rows.slice(0, 1)), USD)).toMatchObject([{ about: 'columns' }])
  })
})

describe('camt', () => {
  const DAY = '<BookgDt><Dt>2026-11-28+04:00</Dt></BookgDt>'
  const entry = (amount: string, rest: string) =>
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="USD">${amount}</Amt>${rest}</Ntry></Stmt></BkToCstmrStmt></Document>`
  const CREDIT = '<CdtDbtInd>CRDT</CdtDbtInd>'
  const part = (amount: string, code = 'USD') => `<TxDtls><Amt Ccy="${code}">${amount}</Amt></TxDtls>`

  test('payments of an entry have its sum', async () => {
    const text = entry('1250.00', `${CREDIT}${DAY}<NtryDtls>${part('1234.50')}${part('23.75')}</NtryDtls>`)
    expect(await read(text)).toEqual([...BOTH, '2026-11-28 returned 825 USD'])
  })

  test('payments in another currency say less than the entry', async () => {
    const parts = part('1100', 'EUR') + part('20', 'EUR')
    const text = entry('1234.50', `${CREDIT}${DAY}<NtryDtls>${parts}</NtryDtls>`)
    expect(await read(text)).toEqual(BOTH.slice(0, 1))
  })

  test('three decimals are no thousands, as the standard has it', async () => {
    expect(await read(entry('1.250', CREDIT + DAY))).toEqual(['2026-11-28 taken 125 USD'])
  })

  test('UTF-16', async () => {
    const text = `\ufeff<?xml version="1.0" encoding="UTF-16"?>${entry('1234.50', CREDIT + DAY)}`
    expect(await read(Buffer.from(text, 'utf16le'))).toEqual(BOTH.slice(0, 1))
  })

  test.each([
    [DAY, 'Entry 1 of the camt file has no CdtDbtInd'],
    [CREDIT, 'Entry 1 of the camt file has no BookgDt or ValDt'],
  ])('an entry that lacks something is refused by its place', async (rest, message) => {
    await expect(linesOf(entry('1.00', rest))).rejects.toThrow(message)
  })
})

test('MT940: reversals, references with a slash, decimals, and a text of the bank below a line', async () => {
  const lines = [
    ':61:2611281128C1234,50NTRFINV/2026/1//X1',
    `/OCMT/USD1234,50/ ${A}`,
    ':61:2611281128RD23,75NTRFNONREF',
    ':61:261128RC1,250NTRFNONREF',
  ]
  const text = `ABNANL2A\r\n940\r\n:20:X\r\n:60F:C261127USD1,00\r\n${lines.join('\r\n')}\r\n:62F:C261128USD1,00\r\n-\r\n`
  expect(await read(text)).toEqual([...BOTH, '2026-11-28 returned 125 USD'])
  const [first] = await linesOf(text)
  expect(first?.texts.join(' ')).toContain(A)
  expect(first?.orderNames).toContain('INV/2026/1')
})

describe('OFX', () => {
  const ofx = (...all: string[]) =>
    `OFXHEADER:100\n\n<OFX><CURDEF>USD<BANKTRANLIST>${all.map((each) => `<STMTTRN>${each}</STMTTRN>`).join('')}</BANKTRANLIST></OFX>`
  const MONEY = '<DTPOSTED>20261128<TRNAMT>1234.50<FITID>1'

  test('a debit without a minus has gone', async () => {
    const text = ofx(
      `<TRNTYPE>CREDIT${MONEY}`,
      `<TRNTYPE>DEBIT${MONEY.replace('1234.50', '5.00').replace('ID>1', 'ID>2')}`,
    )
    expect(await read(text)).toEqual([BOTH[0], '2026-11-28 returned 500 USD'])
  })

  test('the currency before an exchange is not that of the amount', async () => {
    const other = (tag: string) => ofx(`${MONEY}<${tag}><CURRATE>1.1<CURSYM>EUR</${tag}>`)
    expect(await read(other('ORIGCURRENCY'))).toEqual(BOTH.slice(0, 1))
    expect(await read(other('CURRENCY'))).toEqual(['2026-11-28 taken 123450 EUR'])
  })

  test('a file without a currency is asked about', async () => {
    const text = ofx(MONEY).replace('<CURDEF>USD', '')
    expect(await ask(text)).toEqual([{ about: 'currency' }])
    expect(await read(text, USD)).toEqual(BOTH.slice(0, 1))
  })
})

describe('workbooks', () => {
  const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`
  const sheet = (day: number) =>
    strToU8(
      `<worksheet><sheetData><row r="1">${text('A1', 'Date')}${text('B1', 'Amount')}${text('C1', 'Currency')}</row><row r="2"><c r="A2" s="1"><v>${day}</v></c><c r="B2"><v>1234.5</v></c>${text('C2', 'USD')}</row></sheetData></worksheet>`,
    )
  const styles = strToU8('<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>')
  const book = (sheets: Uint8Array[], properties = '') =>
    Buffer.from(
      zipSync({
        'xl/workbook.xml': strToU8(`<workbook><workbookPr ${properties}/></workbook>`),
        'xl/styles.xml': styles,
        ...Object.fromEntries(sheets.map((each, at) => [`xl/worksheets/sheet${at + 1}.xml`, each])),
      }),
    )

  test('days that are counted from 1904', async () => {
    expect(await read(book([sheet(46_354)]))).toEqual(BOTH.slice(0, 1))
    expect(await read(book([sheet(44_892)], 'date1904="1"'))).toEqual(BOTH.slice(0, 1))
  })

  test('a sheet with remarks is passed over, and two tables are refused', async () => {
    const remarks = strToU8(
      `<worksheet><sheetData><row r="1">${text('A1', 'Bank')}</row></sheetData></worksheet>`,
    )
    expect(await read(book([remarks, sheet(46_354)]))).toEqual(BOTH.slice(0, 1))
    await expect(linesOf(book([sheet(46_354), sheet(46_354)]))).rejects.toThrow('has 2 sheets with tables')
  })
})

test('texts for Excel are texts: ="28.11.2026"', async () => {
  const text = days('28.11.2026').replaceAll(/[^;\n]+/g, (cell) => `="${cell}"`)
  expect(await read(text)).toEqual(BOTH)
})

test('an exponent is no sign', async () => {
  await expect(linesOf(days('28.11.2026').replace('1234,50', '1,2345E+03'))).rejects.toThrow(
    'Line 2: "1,2345E+03" is no amount',
  )
})
