import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CURRENCIES } from '../contract/currencies.ts'
import { CURRENCY_CODES, type CurrencyCode } from '../contract/fields.ts'
import { AMOUNT_PATTERN } from '../contract/link.ts'
import { formatAmount, LOCALES } from '../pages/words/locale.ts'
import { decimalAmount, isWholeUnits, parseAmount } from './money.ts'

const WITH_CENTS = CURRENCY_CODES.filter((code) => CURRENCIES[code].digits === 2)

describe('an amount in major units', () => {
  test.each([
    ['15.00', 1500],
    ['15', 1500],
    ['0.1', 10],
    ['0.10', 10],
    ['0.01', 1],
    ['1900', 190_000],
    ['0001.50', 150],
    ['10000000000', 1_000_000_000_000],
    ['9999999999.99', 999_999_999_999],
  ])('%s is %i minor units', (text, minor) => {
    for (const currency of WITH_CENTS) expect(parseAmount(text, currency)).toBe(minor)
  })

  test.each([
    '',
    ' ',
    '0',
    '0.00',
    '-1',
    '+1',
    '1e3',
    '0x10',
    '10.005',
    '10 ',
    ' 10',
    '10.',
    '.5',
    '1,5',
    '1_000',
    '١٠',
    '１０',
    'NaN',
    'Infinity',
    '10000000000.01',
    '99999999999999',
    '1.0.0',
    '10\n',
    '٫5',
  ])('%j is rejected, and the error says why', (text) => {
    expect(() => parseAmount(text, 'USD')).toThrow(/amount|decimals|zero|larger/)
  })

  test('every amount is parsed exactly, and one decimal more than the currency has is rejected', () => {
    const minors = fc.integer({ min: 1, max: 10 ** 12 })
    fc.assert(
      fc.property(minors, fc.constantFrom(...CURRENCY_CODES), (minor, currency) => {
        const { digits }: { digits: number } = CURRENCIES[currency]
        const text = String(minor).padStart(digits + 1, '0')
        const exact = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
        expect([parseAmount(exact, currency), decimalAmount(minor, currency)]).toEqual([minor, exact])
        expect(() => parseAmount(digits === 0 ? `${exact}.0` : `${exact}0`, currency)).toThrow('decimals')
      }),
    )
  })
})

test('the pages show exactly the amount of the payment', () => {
  const minors = fc.integer({ min: 1, max: 10 ** 12 })
  fc.assert(
    fc.property(
      minors,
      fc.constantFrom(...CURRENCY_CODES),
      fc.constantFrom(...LOCALES),
      (minor, currency, locale) => {
        const shown = formatAmount(minor, currency, locale)
        // Remove the currency sign and the group separators. A comma before the last two digits is a decimal comma.
        const digits = shown
          .replaceAll(/[^\d.,]/g, '')
          .replace(/,(\d\d)$/, '.$1')
          .replaceAll(',', '')
        expect(parseAmount(digits, currency)).toBe(minor)
      },
    ),
  )
})

test.each([
  [-5, '-0.05'],
  [-1_950, '-19.50'],
  [0, '0.00'],
])('%d cents that went back are %s', (minor, text) => {
  expect(decimalAmount(minor, 'USD')).toBe(text)
})

test.each([
  ['XTS', 1_950, '19.50', 'XTS\u00a019.50'],
  ['KRW', 1_950, '1950', '₩1,950'],
  ['BHD', 1_950, '1.950', 'BHD\u00a01.950'],
])(
  '%s, which this version may find after a newer one, is shown with its own decimals',
  (code, minor, text, shown) => {
    const currency = code as CurrencyCode
    expect(decimalAmount(minor, currency)).toBe(text)
    expect(formatAmount(minor, currency, 'en')).toBe(shown)
  },
)

test('an amount is whole if it has no fraction in major units', () => {
  for (const currency of WITH_CENTS)
    expect([100, 190_000, 1, 150, 190_050].map((minor) => isWholeUnits(minor, currency))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
})

test('the pattern in the OpenAPI document accepts exactly the amounts that are accepted', () => {
  const pattern = new RegExp(AMOUNT_PATTERN)
  const isAccepted = (text: string) => {
    try {
      return parseAmount(text, 'USD') > 0
    } catch {
      return false
    }
  }
  const amount = fc.oneof(
    fc.stringMatching(/^[0-9]{0,13}[.]?[0-9]{0,3}$/),
    fc.stringMatching(/^0{0,3}1?0{0,10}([.]0{0,3}1?)?$/),
    fc.string({ maxLength: 6 }),
  )
  fc.assert(
    fc.property(amount, (text) => {
      expect([text, pattern.test(text)]).toEqual([text, isAccepted(text)])
    }),
    { numRuns: 5_000, examples: [['10000000000.00'], ['10000000000.01'], ['0.00'], ['000.01'], ['1.']] },
  )
})
