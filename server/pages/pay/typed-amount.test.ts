import { expect, test } from 'vitest'
import type { CurrencyCode } from '../../contract/fields.ts'
import { readTypedAmount } from './typed-amount.ts'

const READ: [string, CurrencyCode, number][] = [
  ['1500', 'AMD', 150_000],
  ['1 500', 'AMD', 150_000],
  ['1\u00a0500 ֏', 'AMD', 150_000],
  ['1,500', 'AMD', 150_000],
  ['1.500.000', 'AMD', 150_000_000],
  ['1500 դր.', 'AMD', 150_000],
  ['１５００', 'AMD', 150_000],
  ['10', 'USD', 1_000],
  ['10.5', 'USD', 1_050],
  ['10,50', 'EUR', 1_050],
  ['€ 1 000,50', 'EUR', 100_050],
  ['1,000.50', 'USD', 100_050],
  ['1.000,50', 'EUR', 100_050],
  ['1,50,000', 'AMD', 15_000_000],
]
test.each(READ)('%s %s is %i in minor units', (text, currency, minor) => {
  expect(readTypedAmount(text, currency)).toBe(minor)
})

const REFUSED: [string, CurrencyCode][] = [
  ...[
    '',
    '0',
    '-5',
    '1e3',
    '1500.50',
    '15,50',
    '0x10',
    'NaN',
    '1 500 USD 5',
    '15 $',
    '15 00',
    '1 5000',
    '9'.repeat(41),
  ].map((text): [string, CurrencyCode] => [text, 'AMD']),
  // This may mean a thousand or one.
  ...['1,000', '1.000', '10.005', '1,000,50', '1.2.3', '--1', '10000000000000'].map(
    (text): [string, CurrencyCode] => [text, 'USD'],
  ),
]
test.each(REFUSED)('%j %s is rejected', (text, currency) => {
  expect(readTypedAmount(text, currency)).toBeNull()
})
