/** Reading statements: their amounts, times and kinds, and what cannot be read. */
import { describe, expect, test } from 'vitest'
import { fileOf, linesOf, understandText } from '../../testing/books/reading.ts'
import { csvRows } from './csv.ts'
import { textOf } from './encoding.ts'
import { findReadyFormat, READY_FORMATS } from './ready.ts'

const OWN = { columns: { at: 'Date', amount: 'Sum' }, currency: 'AMD' }

const read = (text: string, given: object = OWN) => linesOf(text, { own: given })
const own = (sum: string, more: object = {}) => read(`Date;Sum\n2026-01-02;${sum}`, { ...OWN, ...more })

describe('amounts', () => {
  test.each([
    ['12.34', {}, ['taken', 1234]],
    ['-12.3', {}, ['returned', 1230]],
    ['(5.00)', {}, ['returned', 500]],
    ['1 234 567', {}, ['taken', 123456700]],
    ['"1,234.50"', {}, ['taken', 123450]],
    ['1.234,50', { decimalSign: ',' }, ['taken', 123450]],
    ['$7.00', {}, ['taken', 700]],
    ['1234', { units: 'minor' }, ['taken', 1234]],
    ['.50', {}, ['taken', 50]],
    ['– 12.50', {}, ['returned', 1250]],
    ['12,50', {}, ['taken', 1250]],
    ['0.1000', {}, ['taken', 10]],
  ])('%s with %j', async (text, more, [kind, minor]) => {
    expect(await own(text, more)).toMatchObject([{ kind, amountMinor: minor, currency: 'AMD' }])
  })

  test.each([['12.345'], ['twelve'], ['1.2.3'], ['12e3']])('%s is refused with its line', async (text) => {
    await expect(own(text, { decimalSign: '.' })).rejects.toThrow('Line 2: ')
  })
})

test.each([
  ['1234', 'JPY', 1234],
  ['"1,234.00"', 'KRW', 1234],
  ['1.234', 'KWD', 1234],
  ['5', 'KWD', 5000],
])('%s %s is read with the decimals of the currency, also of the fee', async (sum, currency, minor) => {
  const columns = { at: 'Date', amount: 'Sum', currency: 'C', fee: 'Fee', feeCurrency: 'F' }
  const line = `Date;Sum;C;Fee;F\n2026-01-02;0.50;USD;${sum};${currency}\n2026-01-02;${sum};${currency};0.10;USD`
  expect(await read(line, { columns })).toMatchObject([
    { amountMinor: 50, feeMinor: minor },
    { amountMinor: minor, feeMinor: 10 },
  ])
})

describe('times', () => {
  test.each([
    ['2026-01-02', {}, '2026-01-02T00:00:00.000Z'],
    ['2026-01-02 03:04:05', {}, '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05Z', { timeZone: 'Asia/Yerevan' }, '2026-01-02T03:04:05.000Z'],
    ['2026/01/02 03:04:05 -0800', {}, '2026-01-02T11:04:05.000Z'],
    ['02.01.2026 03:04', { dates: 'dmy', timeZone: 'Asia/Yerevan' }, '2026-01-01T23:04:00.000Z'],
    ['1/2/2026 1:30 PM', { dates: 'mdy', timeZone: 'America/New_York' }, '2026-01-02T18:30:00.000Z'],
    ['7/2/2026 12:30 AM', { dates: 'mdy', timeZone: 'America/New_York' }, '2026-07-02T04:30:00.000Z'],
  ])('%s with %j is %s', async (text, more, expected) => {
    const lines = await read(`Date;Sum\n${text};1`, { ...OWN, ...more })
    expect(lines[0]?.at.toISOString()).toBe(expected)
  })

  test('a text that is no date is refused with its line', async () => {
    await expect(read('Date;Sum\nyesterday;1')).rejects.toThrow('Line 2: "yesterday" is no date.')
  })
})

test('a settlement in another currency counts by what the buyer paid', async () => {
  const head = Object.values(READY_FORMATS['stripe-balance'].needs).join()
  const text = `${head},currency,fee,customer_facing_amount,customer_facing_currency
    txn_1,2026-01-02 00:00:00,charge,9.20,ch_1,eur,0.50,10.00,usd
    txn_2,2026-01-02 00:00:00,refund,-4.60,re_1,eur,0,-5.00,usd
    txn_3,2026-01-03 00:00:00,payout,-4.10,po_1,eur,0,,`
  expect(await linesOf(text)).toMatchObject([
    {
      kind: 'taken',
      amountMinor: 1000,
      currency: 'USD',
      feeMinor: 50,
      feeCurrency: 'EUR',
      movementNames: ['ch_1'],
    },
    { kind: 'returned', amountMinor: 500, currency: 'USD' },
    { kind: 'payout', amountMinor: 410, currency: 'EUR' },
  ])
})

test("Stripe's itemized list of payouts", async () => {
  // The columns of the report type payouts.itemized.3.
  const text = `payout_id,effective_at_utc,effective_at,currency,gross,fee,net,reporting_category,balance_transaction_id,description,payout_expected_arrival_date,payout_status,payout_reversed_at_utc,payout_type,payout_description,payout_destination_id
    po_1,2026-01-05 00:00:00,2026-01-05 00:00:00,usd,-120.50,0.00,-120.50,payout,txn_1,STRIPE PAYOUT,2026-01-06 00:00:00,paid,,bank_account,STRIPE PAYOUT,ba_1
    po_2,2026-01-06 00:00:00,2026-01-06 00:00:00,usd,-80.00,1.00,-81.00,payout,txn_2,STRIPE PAYOUT,2026-01-07 00:00:00,failed,2026-01-08 00:00:00,bank_account,STRIPE PAYOUT,ba_1
    po_2,2026-01-08 00:00:00,2026-01-08 00:00:00,usd,80.00,-1.00,81.00,payout_reversal,txn_3,STRIPE PAYOUT FAILURE,2026-01-07 00:00:00,failed,2026-01-08 00:00:00,bank_account,STRIPE PAYOUT,ba_1`
  const { table, name } = await understandText(text)
  expect(name).toBe('stripe-payouts')
  expect(table.layout.names).toEqual(expect.arrayContaining(READY_FORMATS['stripe-payouts'].needs))
  const money = (await linesOf(text)).map(({ lineId, kind, amountMinor, feeMinor, payoutId, currency }) => [
    lineId,
    kind,
    amountMinor,
    feeMinor,
    payoutId,
    currency,
  ])
  expect(money).toEqual([
    ['txn_1', 'payout', 12_050, 0, 'po_1', 'USD'],
    ['txn_2', 'payout', 8_000, 100, 'po_2', 'USD'],
    ['txn_3', 'payout', -8_000, -100, 'po_2', 'USD'],
  ])
})

test('equal lines without an id are told apart, also in the same order the next time', async () => {
  const text = 'Date;Sum\n2026-01-02;5\n2026-01-02;5\n2026-01-03;5'
  const ids = async () => (await read(text)).map(({ lineId }) => lineId)
  expect(new Set(await ids()).size).toBe(3)
  expect(await ids()).toEqual(await ids())
})

test.each([
  ['nothing', '', 'no row with the names'],
  [
    'a quotation mark that is never closed',
    `Date;Sum\n2026-01-02;"${'x'.repeat(100_000)}`,
    'a quotation mark is never closed',
  ],
  [
    'a line with a date and no amount',
    'Date;Sum;Note\n2026-01-02;5;a\n2026-01-02;;a',
    'Line 3 has a date and no amount',
  ],
  [
    'a line with two amounts',
    'Date;Debit;Credit\n2026-01-02;5;\n2026-01-02;5;6',
    'Line 3 has a debit and a credit',
  ],
  ['30 February', 'Date;Sum\n28.02.2026;5\n30.02.2026;5', 'Line 3: "30.02.2026" is no date'],
  ['a date in another order', 'Date;Sum\n31/12/2026;5\n12/31/2026;5', 'Line 3: "12/31/2026" is no date'],
  ['two decimal signs', 'Date;Sum\n2026-01-02;5.10\n2026-01-02;5,10', 'line 3 writes 5,10 with a comma'],
])('%s is refused', async (_, text, message) => {
  await expect(linesOf(text, { answers: { currency: 'USD' } })).rejects.toThrow(message)
})

test('a missing column is a question', async () => {
  const { questions } = await understandText('Day;Sum\nx;y', { own: OWN })
  expect(questions).toMatchObject([{ about: 'columns', missing: ['Date'], columns: ['Day', 'Sum'] }])
})

test('of a long statement only a few rows are in memory', async () => {
  const LINES = 100_000
  const row = `2026-01-02 00:00:00,5.00,${'buyer '.repeat(40)}\n`
  let [given, read_, ahead] = [0, 0, 0]
  async function* text() {
    for (let number = 0; number < LINES / 100; number++) {
      given += 100
      yield row.repeat(100)
    }
  }
  for await (const { cells } of csvRows(text(), ',')) {
    expect(cells[1]).toBe('5.00')
    ahead = Math.max(ahead, given - ++read_)
  }
  expect(read_).toBe(LINES)
  expect(ahead).toBeLessThanOrEqual(100)
})

test('ready formats are told apart by their columns', () => {
  for (const [name, { needs }] of Object.entries(READY_FORMATS)) expect(findReadyFormat(needs)).toBe(name)
})

test('a file is decoded in slices', async () => {
  const slices = []
  for await (const slice of textOf(fileOf('x'.repeat(100_000)), 'utf-8')) slices.push(slice.length)
  expect(Math.max(...slices)).toBeLessThanOrEqual(16_384)
})
