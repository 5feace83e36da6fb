/** Reversals, contradictions, corrections and second accounts: nothing of these is read as other money without a word. */
import { describe, expect, test } from 'vitest'
import { linesOf, understandText } from '../../testing/books/reading.ts'

const HEAD = 'Date;Text;Amount;Type;Currency'
const read = async (text: string) => (await linesOf(text)).map(({ kind, amountMinor }) => [kind, amountMinor])
const rows = (...all: [amount: string, word: string][]) =>
  [HEAD, ...all.map(([amount, word], at) => `28.11.2026;text ${at};${amount};${word};USD`), ''].join('\n')

describe('a word for the direction beside the amount', () => {
  test('agrees with the signs', async () => {
    expect(await read(rows(['1234,50', 'Credit'], ['-5,00', 'Debit']))).toEqual([
      ['taken', 123_450],
      ['returned', 500],
    ])
  })

  test('has the sign, and a credit with a minus is its reversal', async () => {
    for (const file of [
      rows(['1234,50', 'Credit'], ['-1234,50', 'Credit'], ['5,00', 'Debit']),
      rows(['1234,50', 'H'], ['-1234,50', 'H'], ['5,00', 'S']).replace('Type', 'S/H'),
    ])
      expect(await read(file)).toEqual([
        ['taken', 123_450],
        ['returned', 123_450],
        ['returned', 500],
      ])
  })

  test.each([
    ['of a card, whose minus is money that came', rows(['-1234,50', 'Credit'], ['5,00', 'Debit'])],
    [
      'of debits with and without a minus',
      rows(['1234,50', 'Credit'], ['5,00', 'Debit'], ['-5,00', 'Debit']),
    ],
    ['of a credit with a minus beside signed debits', rows(['-7,00', 'Credit'], ['-5,00', 'Debit'])],
  ])('that contradicts it is refused with its line: %s', async (_, file) => {
    await expect(understandText(file)).rejects.toThrow(
      /^Line \d: the amount has a minus, and the word \w+ beside it/,
    )
    await expect(understandText(file.replace('Type', 'D/C'))).rejects.toThrow(
      'the amount has a minus, and the word',
    )
  })

  test('a refund in a signed statement of a bank is money that came', async () => {
    expect(await read(rows(['5,00', 'Refund'], ['-7,00', 'Debit']))).toEqual([
      ['taken', 500],
      ['returned', 700],
    ])
  })
})

test.each([
  ['Event', 'payment', 'refund'],
  ['Операция', 'Зачисление', 'Сторно зачисления'],
  ['Գործողություն', 'Վճարում', 'Վերադարձ'],
  ['Was', 'Zahlung', 'Rücklastschrift'],
  ['Description', 'Payment', 'Payout to bank'],
])('a word of %s for money that may have gone is asked about', async (column, came, went) => {
  const file = `Date;Amount;${column};Currency\n28.11.2026;5,00;${came};USD\n28.11.2026;5,00;${went};USD\n`
  const { questions } = await understandText(file)
  expect(questions).toEqual([{ about: 'direction', words: [came, went], column }])
  const lines = await linesOf(file, { answers: { credit: came } })
  expect(lines.map(({ kind }) => kind)).toEqual(['taken', 'returned'])
  expect(await linesOf(file, { answers: { unsigned: 'came' } })).toMatchObject([
    { kind: 'taken' },
    { kind: 'taken' },
  ])
})

test.each([
  ['Storno', '', 'J'],
  ['Reversal', 'N', 'Y'],
  ['Сторно', 'нет', 'да'],
])('a column %s that marks a reversal is refused where the amounts have no sign', async (column, no, yes) => {
  const file = (amount: string) =>
    `Date;Amount;${column};Currency\n28.11.2026;5,00;${no};USD\n28.11.2026;${amount};${yes};USD\n`
  await expect(understandText(file('5,00'))).rejects.toThrow(
    `Line 3: the column ${column} marks a reversal (${yes})`,
  )
  expect(await linesOf(file('-5,00'))).toMatchObject([{ kind: 'taken' }, { kind: 'returned' }])
})

test('thousands in the name of the amounts are refused in short too', async () => {
  await expect(understandText('Date,"Amount, kUSD"\n2026-11-28,1.2\n')).rejects.toThrow('thousands')
})

test('a word that nobody knows beside C and D is asked about', async () => {
  const lines = ['C', 'D', 'RC'].map((mark) => `28.11.2026;5,00;${mark};USD\n`)
  const { questions } = await understandText(`Date;Amount;Mark;Currency\n${lines.join('')}`)
  expect(questions).toEqual([{ about: 'direction', words: ['C', 'D', 'RC'], column: 'Mark' }])
})

test.each([
  [
    'counts more than the kind, where any amount has one',
    ['POS', '-20.00'],
    ['POS', '5.00'],
    ['returned', 'taken'],
  ],
  ['is that of the kind, where none has one', ['POS', '20.00'], ['CREDIT', '5.00'], ['returned', 'taken']],
])('the sign of OFX %s', async (_, one, other, kinds) => {
  const rows = [one, other].map(
    ([type, amount], id) =>
      `<STMTTRN><TRNTYPE>${type}<DTPOSTED>20261128<TRNAMT>${amount}<FITID>${id}</STMTTRN>`,
  )
  const lines = await linesOf(`<OFX><CURDEF>USD<BANKTRANLIST>${rows.join('')}</BANKTRANLIST></OFX>`)
  expect(lines.map(({ kind }) => kind)).toEqual(kinds)
})

test('an amount and a total that differ are asked about', async () => {
  const file = 'Date,Amount,VAT,Total,Currency\n2026-11-28,10.00,2.00,12.00,USD\n'
  expect((await understandText(file)).questions).toMatchObject([{ about: 'columns' }])
  expect(await linesOf(file.replace('2.00,12.00', '0.00,10.00'))).toMatchObject([{ amountMinor: 1_000 }])
})

const unsigned = (column: string, ...words: string[]) =>
  [`Date;Amount;${column};Currency`, ...words.map((word) => `28.11.2026;5,00;${word};USD`), ''].join('\n')

test.each([
  [
    'a column of directions',
    'Date;Amount;Storno;D/C;Currency\n28.11.2026;5,00;N;C;USD\n28.11.2026;6,00;Y;C;USD\n',
  ],
  [
    'a word for a direction',
    'Date;Amount;Storno;Type;Currency\n28.11.2026;5,00;N;Credit;USD\n28.11.2026;6,00;Y;Debit;USD\n',
  ],
  ['Soll and Haben', 'Date;Amount;Storno;S/H;Currency\n28.11.2026;5,00;;H;USD\n28.11.2026;6,00;Y;H;USD\n'],
  [
    'debit and credit',
    'Date;Debit;Credit;Storno;Currency\n28.11.2026;;5,00;N;USD\n28.11.2026;;6,00;Y;USD\n28.11.2026;7,00;;N;USD\n',
  ],
  [
    'debits with a minus',
    'Date;Debit;Credit;Storno;Currency\n28.11.2026;;5,00;N;USD\n28.11.2026;;6,00;Y;USD\n28.11.2026;-7,00;;N;USD\n',
  ],
])('a column that marks reversals beside %s is refused', async (_, file) => {
  await expect(understandText(file)).rejects.toThrow('Line 3: the column Storno marks a reversal (Y)')
  // The money of the line is then as its other columns say.
  const lines = await linesOf(file, { answers: { unsigned: 'came' } }).catch(({ message }) => message)
  expect(JSON.stringify(lines)).not.toContain('marks a reversal')
  expect(
    (await linesOf(file.replace(';Y;', ';N;').replace(/;Y$/m, ';N').replace(';Y;USD', ';N;USD'))).length,
  ).toBeGreaterThan(1)
})

test('each mark of a reversal counts, however many and however long the words are', async () => {
  const zero = 'Date;Amount;Storno;Currency\n28.11.2026;0,00;S1;USD\n28.11.2026;5,00;S2;USD\n'
  await expect(understandText(zero)).rejects.toThrow('Line 3: the column Storno marks a reversal (S2)')
  const many = unsigned(
    'Storno',
    ...Array.from({ length: 60 }, () => 'N'),
    ...Array.from({ length: 12 }, (_, at) => `of line ${at}`),
  )
  await expect(understandText(many)).rejects.toThrow(
    'Line 62: the column Storno marks a reversal (of line 0)',
  )
  const long = 'the reversal of what was booked on the day before by mistake'
  await expect(understandText(unsigned('Storno', 'N', long))).rejects.toThrow(`marks a reversal (${long})`)
})

test.each(['0,00', '0.00', '0', 'Not reversed', 'NOT_REVERSED', 'None', '—', '-', 'нет', 'ոչ', ''])(
  '%s marks no reversal',
  async (no) => {
    expect(await linesOf(unsigned('Reversed', no, no))).toMatchObject([{ kind: 'taken' }, { kind: 'taken' }])
  },
)

describe('the words of a column of kinds are asked about', () => {
  const kinds = [
    'Sale',
    'Order',
    'Tip',
    'Gift',
    'Booking',
    'Deposit slip',
    'Link',
    'QR',
    'Terminal',
    'Refund',
  ]
  test('where it has many', async () => {
    const file = unsigned('Type', ...kinds)
    expect((await understandText(file)).questions).toEqual([
      { about: 'direction', words: kinds, column: 'Type' },
    ])
    const lines = await linesOf(file, { answers: { credit: 'Sale' } })
    expect(lines.filter(({ kind }) => kind === 'taken')).toHaveLength(1)
  })

  test('where one is long', async () => {
    const long = `Payment of an order ${'by a buyer '.repeat(9)}in the shop`
    const file = unsigned('Type', long, 'Refund')
    const [question] = (await understandText(file)).questions
    expect(question).toMatchObject({ about: 'direction', words: [long.slice(0, 100), 'Refund'] })
    const lines = await linesOf(file, { answers: { credit: long.slice(0, 100) } })
    expect(lines.map(({ kind }) => kind)).toEqual(['taken', 'returned'])
  })
})

test.each([
  ['C', 'RC'],
  ['Credit', 'Storno'],
  ['Payment', 'Payment reversed'],
  ['Payment', 'PAYMENT_REVERSED'],
  ['Sale', 'Void'],
  ['Sale', 'Cancellation'],
  ['Order payment', 'Bank fee'],
  ['Incoming', 'Outgoing transfer'],
  ['Оплата', 'Оплата отменена'],
  ['Zahlung', 'Kontoführungsgebühr'],
])('%s beside %s is asked about', async (one, other) => {
  expect((await understandText(unsigned('What', one, other))).questions).toEqual([
    { about: 'direction', words: [one, other], column: 'What' },
  ])
})

test.each([
  ['texts', 'Tea for two', 'Coffee'],
  ['empty cells', '-', 'note'],
  ['statuses', 'Completed', 'Cancelled'],
])('%s are not taken for directions', async (_, one, other) => {
  expect((await understandText(unsigned('What', one, other))).questions).toEqual([])
})

describe('the sign of OFX', () => {
  const ofx = (...rows: [type: string, amount: string][]) =>
    `<OFX><CURDEF>USD<BANKTRANLIST>${rows
      .map(
        ([type, amount], id) =>
          `<STMTTRN><TRNTYPE>${type}<DTPOSTED>20261128<TRNAMT>${amount}<FITID>${id}</STMTTRN>`,
      )
      .join('')}</BANKTRANLIST></OFX>`

  test.each(['-0.00', '-0', '−0.00'])('is none in %s', async (zero) => {
    const lines = await linesOf(ofx(['DEBIT', '20.00'], ['CREDIT', '5.00'], ['DEBIT', zero]))
    expect(lines.slice(0, 2).map(({ kind }) => kind)).toEqual(['returned', 'taken'])
  })

  test.each(['DEBIT', 'FEE', 'SRVCHG', 'PAYMENT', 'CHECK', 'debit'])(
    'that %s contradicts beside others is refused',
    async (type) => {
      const file = ofx(['CREDIT', '-20.00'], [type, '5.00'])
      await expect(linesOf(file)).rejects.toThrow(`Transaction 2 of the OFX file is a ${type.toUpperCase()}`)
      expect(await linesOf(ofx(['CREDIT', '20.00'], [type, '-5.00']))).toMatchObject([
        { kind: 'taken' },
        { kind: 'returned' },
      ])
    },
  )

  test.each(['POS', 'ATM', 'XFER', 'OTHER'])('counts beside %s', async (type) => {
    expect(await linesOf(ofx(['DEBIT', '-20.00'], [type, '5.00']))).toMatchObject([
      { kind: 'returned' },
      { kind: 'taken' },
    ])
  })
})

describe('the lines of two accounts are not mixed', () => {
  const page = (head: string, amount: string) =>
    `${head}\nDate;Text;Amount;Currency\n28.11.2026;x;${amount};USD\n`
  const [own, other] = ['AM12 3456 7890 1234 5678', 'AM12 3456 7890 1234 9999']
  test.each([
    ['an IBAN alone', own, other],
    ['an IBAN', `IBAN: ${own}`, `IBAN: ${other}`],
    ['a number', 'Account 40702810 (USD), page 1', 'Account 40702811 (USD), page 2'],
    ['a hidden number', 'Account ****1234', 'Account ****5678'],
    ['a short number', 'Account No 4455', 'Account No 4456'],
  ])('that have %s', async (_, one, two) => {
    await expect(linesOf(page(one, '1,00') + page(two, '2,00'))).rejects.toThrow('another account')
    expect(await linesOf(page(one, '1,00') + page(one, '2,00'))).toHaveLength(2)
  })

  test.each([
    ['another page', `Account ${own} page 1 of 2`, `Account ${own} page 2 of 2`],
    ['a number without the code of the bank', `Account ${own} USD`, 'Account 3456 7890 1234 5678'],
    ['a telephone number', `Account ${own}`, 'Account manager tel. 010 12-34-56'],
    ['a telephone number with a plus', `Account ${own}`, 'Your account manager: +374 10 123456'],
    ['a department', `Account ${own}`, 'Accounting department 0800 1234567'],
    ['other days', `Account ${own}`, 'Account statement 01.11.2026 - 30.11.2026'],
    ['a number of the statement', `Account ${own}`, 'Kontoauszug Nr. 7'],
  ])('and %s is no other account', async (_, one, two) => {
    expect(await linesOf(page(one, '1,00') + page(two, '2,00'))).toHaveLength(2)
  })
  const table = (account: string) => `${account}\nDate,Text,Amount,Currency\n2026-11-28,x,1.00,USD\n`
  const camt = (...accounts: string[]) =>
    `<Document><BkToCstmrStmt>${accounts
      .map(
        (each) =>
          `<Stmt><Acct><Id><IBAN>${each}</IBAN></Id></Acct><Ntry><Amt Ccy="USD">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>2026-11-28</Dt></BookgDt></Ntry></Stmt>`,
      )
      .join('')}</BkToCstmrStmt></Document>`
  const mt940 = (...accounts: string[]) =>
    accounts
      .map(
        (each) =>
          `:20:X\n:25:${each}\n:60F:C261127USD1,00\n:61:261128C1,00NTRFNONREF\n:62F:C261128USD2,00\n-\n`,
      )
      .join('')
  const ofx = (...accounts: string[]) =>
    `<OFX><CURDEF>USD${accounts
      .map(
        (each) =>
          `<BANKACCTFROM><ACCTID>${each}</BANKACCTFROM><BANKTRANLIST><STMTTRN><DTPOSTED>20261128<TRNAMT>1.00<FITID>${each}<BANKACCTTO><ACCTID>99</BANKACCTTO></STMTTRN></BANKTRANLIST>`,
      )
      .join('')}</OFX>`

  test.each([
    ['CSV', (...all: string[]) => all.map((each) => table(`Account: ${each}`)).join('')],
    ['CSV in Russian', (...all: string[]) => all.map((each) => table(`Счёт № ${each},,,`)).join('')],
    ['camt.053', camt],
    ['MT940', mt940],
    ['OFX', ofx],
  ])('%s', async (_, fileOf) => {
    await expect(linesOf(fileOf('11', '22'))).rejects.toThrow(/another account|more than one account/)
    expect(await linesOf(fileOf('11', '11'))).toHaveLength(2)
  })

  test('a continued text that names an account is none', async () => {
    const file =
      'Date;Text;Amount;Currency\n28.11.2026;x;1,00;USD\n;to account 4455;;\n28.11.2026;y;2,00;USD\n'
    expect(await linesOf(file)).toHaveLength(2)
  })

  test.each([
    ['camt', camt('11', '11').slice(0, -60), 'cut off'],
    ['MT940', mt940('11').replace(/:62F:.*/, ''), 'cut off'],
    ['OFX', ofx('11').slice(0, -30), 'cut off'],
    [
      'OFX that corrects itself',
      ofx('11').replace('<FITID>11', '<FITID>11<CORRECTFITID>7<CORRECTACTION>DELETE'),
      'corrects',
    ],
    ['camt with a word that is no direction', camt('11').replace('CRDT', 'C'), 'no CdtDbtInd'],
    ['camt with a sign', camt('11').replace('>1.00', '>-1.00'), 'with a sign'],
  ])('%s is refused', async (_, file, message) => {
    await expect(understandText(file).then(() => linesOf(file))).rejects.toThrow(message)
  })
})
