/** Reading statements: their amounts, times and kinds, and what cannot be read. */
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { READY_FORMATS, readyFormat, StatementFormat } from './statement-format.ts'
import { readColumns, readLines } from './statement-lines.ts'

const file = (text: string) => ({ open: () => Readable.from([Buffer.from(text)]) })
const OWN = { columns: { at: 'Date', amount: 'Sum' }, currency: 'AMD' }

async function read(text: string, given: object = OWN) {
  const lines = []
  const { separator } = await readColumns(file(text))
  for await (const line of readLines(file(text), { format: StatementFormat.parse(given), separator }))
    lines.push(line)
  return lines
}
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
    ['0.1000', {}, ['taken', 10]],
  ])('%s with %j', async (text, more, [kind, minor]) => {
    expect(await own(text, more)).toMatchObject([{ kind, amountMinor: minor, currency: 'AMD' }])
  })

  test.each([['12.345'], ['twelve'], ['1.2.3'], ['12e3']])('%s is refused with its line', async (text) => {
    await expect(own(text)).rejects.toThrow('Line 2: ')
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
  expect(await read(text, readyFormat('stripe-balance'))).toMatchObject([
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
  const { columns, ready } = await readColumns(file(text))
  expect(ready).toBe('stripe-payouts')
  expect(columns).toEqual(expect.arrayContaining(READY_FORMATS['stripe-payouts'].needs))
  const money = (await read(text, readyFormat('stripe-payouts'))).map(
    ({ lineId, kind, amountMinor, feeMinor, payoutId, currency }) => [
      lineId,
      kind,
      amountMinor,
      feeMinor,
      payoutId,
      currency,
    ],
  )
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
  ['nothing', '', 'no line with the names'],
  ['a missing column', 'Day;Sum\n1;2', 'no column "Date"'],
  [
    'a quotation mark that is never closed',
    `Date;Sum\n2026-01-02;"${'x'.repeat(100_000)}`,
    'cannot be read as CSV',
  ],
])('%s is refused', async (_, text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})

test('of a long statement only a few lines are in memory', async () => {
  const row = `2026-01-02 00:00:00,5.00,${'buyer '.repeat(40)}\n`
  const LINES = 100_000
  const open = () =>
    Readable.from(
      (function* () {
        yield 'Date,Sum,Note\n'
        for (let number = 0; number < LINES / 100; number++) yield row.repeat(100)
      })(),
    )
  let read_ = 0
  let ahead = 0
  let given = 0
  const source = () => open().on('data', () => given++)
  const format = StatementFormat.parse({ ...OWN, columns: { ...OWN.columns } })
  for await (const line of readLines({ open: source }, { format, separator: ',' })) {
    expect(line.amountMinor).toBe(500)
    ahead = Math.max(ahead, given * 100 - ++read_)
  }
  expect(read_).toBe(LINES)
  // What was given and not yet read: the buffers of two streams.
  expect(ahead).toBeLessThan(LINES / 10)
})
