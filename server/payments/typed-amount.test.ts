/** Amounts that people type, in every field of the console and the command line. */
import { expect, test } from 'vitest'
import { CURRENCIES } from '../contract/currencies.ts'
import { CURRENCY_CODES } from '../contract/fields.ts'
import { formatAmount, LOCALES } from '../pages/words/locale.ts'
import { parseTypedAmount, twoReadings } from './money.ts'

test.each(CURRENCY_CODES)('what a page shows can be typed: %s', (currency) => {
  for (const locale of LOCALES)
    for (const minor of [1, 50, 100, 123_456, 125_000, 100_000, 123_456_789, 10 ** 12]) {
      // Where people use no decimals, pages show amounts with a fraction for old payments only.
      if (CURRENCIES[currency].isWhole && minor % 100 !== 0) continue
      const shown = formatAmount(minor, currency, locale)
      expect([shown, parseTypedAmount(shown, currency)]).toEqual([shown, minor])
    }
})

test.each([
  '1,234.56',
  '1 234,56',
  '1.234,56',
  '1’234.56',
  '1234.56',
  '$1,234.56',
  '1 234,56 USD',
  '１２３４.５６',
])('%s is one amount', (text) => expect(parseTypedAmount(text, 'USD')).toBe(123_456))

test.each(['1.250', '1,250', '10.005', '1,000'])(
  '%s can be two amounts of a currency with decimals',
  (text) => {
    expect(() => parseTypedAmount(text, 'USD')).toThrow(/can be/)
    // Drams are whole.
    expect(parseTypedAmount(text, 'AMD')).toBe(Number(text.replace(/\D/g, '')) * 100)
  },
)

test('both readings are named', () => {
  expect(twoReadings('1.250', 'EUR')).toEqual({ first: '1.25', second: '1250.00' })
  expect(() => parseTypedAmount('1.250', 'EUR')).toThrow('the amount can be 1.25 or 1250.00')
})

test.each([
  '',
  '0',
  '-5',
  '(5.00)',
  '5 €',
  '1e3',
  'five',
  '1,234,5',
  '5²',
  '5½',
  '⑤',
  '٥',
  '5.00.00',
  '0x5',
  '5,00 5,00',
])('%j is refused', (text) => {
  expect(() => parseTypedAmount(text, 'USD')).toThrow()
})

test('an error never repeats what was typed, which may be a card number', () => {
  for (const text of [
    '4242424242424242 €',
    '4242 4242 4242 4242',
    '4,242,424,242,424,242.00',
    '-4242424242424242',
  ])
    expect(() => parseTypedAmount(text, 'USD')).toThrow(/^(?!.*4,?2,?4,?2)/)
})
