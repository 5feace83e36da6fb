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

describe('the lines of two accounts are not mixed', () => {
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
