import { expect, test } from 'vitest'
import { CURRENCIES, CURRENCY_CODES } from '../server/contract/currencies.ts'
import { formatAmount, LOCALES } from '../server/pages/words/locale.ts'
import { type Amount, readPrice, SIGNS } from './price.ts'

test.each([
  ['$15.00', 'USD', 1500, '$1,600.50', 160_050],
  ['$15', 'USD', 1500, '$16', 1600],
  ['15 USD', 'USD', 1500, '16.50 USD', 1650],
  ['15,00 €', 'EUR', 1500, '16,00 €', 1600],
  ['1.900,50 €', 'EUR', 190_050, '12.345.678,90 €', 1_234_567_890],
  ['1.900 €', 'EUR', 190_000, '1.900,50 €', 190_050],
  ['€1,900.00', 'EUR', 190_000, '€900.00', 90_000],
  ['1’900.00 EUR', 'EUR', 190_000, '2’000.00 EUR', 200_000],
  ['1 900 ֏', 'AMD', 190_000, '2 000 ֏', 200_000],
  ['1\u00a0900\u00a0դր.', 'AMD', 190_000, '1\u00a0234\u00a0567\u00a0դր.', 123_456_700],
  ['1900 драм', 'AMD', 190_000, '2000 драм', 200_000],
  ['\u200f16 US$', 'USD', 1600, '17 US$', 1700],
] as const)('%s in %s is %i, and in the same way %s is %i', (text, currency, minor, other, otherMinor) => {
  const read = readPrice(text, currency)
  expect(read?.amountMinor).toBe(minor)
  expect(read?.write(otherMinor).replace(/\D/g, '')).toBe(other.replace(/\D/g, ''))
  expect(readPrice(read?.write(otherMinor) ?? '', currency)?.amountMinor).toBe(otherMinor)
})

test('a price keeps the way in which the page writes it', () => {
  expect(readPrice('1.900 €', 'EUR')?.write(1_234_550)).toBe('12.345,50 €')
  expect(readPrice('$15', 'USD')?.write(1650)).toBe('$16.50')
  expect(readPrice('$15.00', 'USD')?.write(160_000)).toBe('$1600.00')
  expect(readPrice('1\u202f900 ֏', 'AMD')?.write(200_000)).toBe('2\u202f000 ֏')
})

test.each([
  ['15.00', 'USD'],
  ['€15.00', 'USD'],
  ['$15.00', 'EUR'],
  ['A$15.00', 'USD'],
  ['from $15.00', 'USD'],
  ['$15.00 a month', 'USD'],
  ['$15.00 / 5,900 ֏', 'USD'],
  ['$12–15', 'USD'],
  ['-$15', 'USD'],
  ['$1.5', 'USD'],
  ['$1.5000', 'USD'],
  ['$19,00.00', 'USD'],
  ['$1.900.50', 'USD'],
  ['$1,900 500', 'USD'],
  ['$1 9', 'USD'],
  ['$١٥', 'USD'],
  ['$', 'USD'],
  ['Free', 'USD'],
  ['', 'USD'],
  ['15 constructor', 'constructor'],
])('%s is not read as %s', (text, currency) => {
  expect(readPrice(text, currency as Amount['currency'])).toBeUndefined()
})

test('the button reads every sign of the currencies with two decimals, and every price of the install page', () => {
  for (const currency of CURRENCY_CODES.filter((each) => CURRENCIES[each].digits === 2)) {
    expect(SIGNS.find((row) => row[0] === currency)).toEqual(
      expect.arrayContaining([currency, ...CURRENCIES[currency].signs.map((sign) => sign.replace('.', ''))]),
    )
    for (const locale of LOCALES)
      for (const amount of [5, 100, 1650, 190_000, 123_456_789])
        expect(readPrice(formatAmount(amount, currency, locale), currency)?.amountMinor).toBe(amount)
  }
})
