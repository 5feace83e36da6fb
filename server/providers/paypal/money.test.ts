/** Amounts and returned money as PayPal writes them. */
import { describe, expect, test } from 'vitest'
import { Money, minorOf, moneyOf, sumOf } from './money.ts'
import { snapshotOf } from './snapshot.ts'
import { Order } from './wire.ts'

test.each([
  ['1.5', 150],
  ['1.05', 105],
  ['1.50', 150],
  ['1', 100],
  ['0.1', 10],
  ['0.01', 1],
  ['19.00', 1900],
  ['123456789012.34', 12_345_678_901_234],
])('%s is %d minor units', (value, minor) => {
  expect(Money.parse({ currency_code: 'USD', value })).toMatchObject({ value })
  expect(minorOf({ value })).toBe(minor)
})

test.each(['', '1.', '.5', '1.005', '1,50', '-1.00', '1e3', ' 1.00'])('%j is no amount', (value) => {
  expect(Money.safeParse({ currency_code: 'USD', value }).success).toBe(false)
})

test('every amount is read again as it was written', () => {
  for (const minor of [0, 1, 9, 10, 99, 100, 101, 110, 1_000, 1_905, 1_999, 123_456])
    expect(minorOf(moneyOf(minor, 'USD'))).toBe(minor)
  expect(sumOf([moneyOf(150, 'USD'), moneyOf(5, 'USD')])).toBe(155)
})

describe('refunds of a capture', () => {
  const usd = (value: string) => ({ currency_code: 'USD', value })
  const returned = (status: string, refunds: [status: string, value: string][]) => {
    const payments = {
      captures: [{ id: 'C1', status, amount: usd('19.00') }],
      refunds: refunds.map(([word, value], index) => ({ id: `R${index}`, status: word, amount: usd(value) })),
    }
    const unit = { custom_id: 'reference', amount: usd('19.00'), payments }
    const order = Order.parse({
      id: 'O1',
      status: 'COMPLETED',
      intent: 'CAPTURE',
      purchase_units: [unit],
      links: [],
    })
    const { refundedMinor, refundPendingMinor } = snapshotOf(order, {
      declined: undefined,
      isCharge: false,
      now: new Date(0),
    })
    return { refundedMinor, refundPendingMinor }
  }

  test('a pending one is under way, and not returned', () => {
    expect(
      returned('PARTIALLY_REFUNDED', [
        ['COMPLETED', '4.00'],
        ['PENDING', '5.50'],
      ]),
    ).toEqual({ refundedMinor: 400, refundPendingMinor: 550 })
    expect(returned('REFUNDED', [['PENDING', '19.00']])).toEqual({
      refundedMinor: 0,
      refundPendingMinor: 1900,
    })
  })

  test('one that failed or was cancelled returned nothing', () => {
    expect(
      returned('PARTIALLY_REFUNDED', [
        ['FAILED', '9.00'],
        ['CANCELLED', '1.00'],
        ['COMPLETED', '0.5'],
      ]),
    ).toEqual({ refundedMinor: 50, refundPendingMinor: 0 })
  })

  test('a capture that is refunded was returned in full, also if not every refund is listed', () => {
    expect(returned('REFUNDED', [['COMPLETED', '4.00']])).toEqual({
      refundedMinor: 1900,
      refundPendingMinor: 0,
    })
  })
})
