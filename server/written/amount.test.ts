/** Amounts as people and banks write them: the number that is meant, or no number at all. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DecimalSign, readAmount } from './amount.ts'

const minorOf = (text: string, decimalSign?: DecimalSign, digits = 2) => {
  const read = readAmount(text, { digits, ...(decimalSign && { decimalSign }) })
  if (read.is === 'amount') return read.minor
  return read.is === 'ambiguous' ? [read.byPoint, read.byComma] : null
}

describe('with a known decimal sign', () => {
  test.each<[string, DecimalSign, ReturnType<typeof minorOf>]>([
    ['12.50', '.', 1250],
    ['12,50', ',', 1250],
    ['12,50', '.', null],
    ['12.50', ',', null],
    ['.50', '.', 50],
    [',5', ',', 50],
    ['5.', '.', 500],
    ['0.1000', '.', 10],
    ['0.850', '.', 85],
    ['12.505', '.', null],
    // Three digits: a quarter, or a thousand and some.
    ['1.250', '.', [125, 125000]],
    ['1,250', ',', [125000, 125]],
    ['1,250', '.', 125000],
    ['1,250.00', '.', 125000],
    ['1,234.500', '.', 123450],
    ['1.250,00', ',', 125000],
    ['1 250,00', ',', 125000],
    ['1\u00a0250,00', ',', 125000],
    ['1\u202f250\u202f000,00', ',', 125000000],
    ["1'250.00", '.', 125000],
    ['1’250.00', '.', 125000],
    ['1,25,000.00', '.', 12500000],
    ['12,34,567', '.', 123456700],
    ['$1,234', '.', 123400],
    ['1,234,5', '.', null],
    ['1.250.00', '.', null],
    ['12 50', '.', null],
    ['1 250,000.00', '.', null],
    ['0,250.00', '.', null],
    ['1,2345.00', '.', null],
  ])('%s with %s', (text, sign, expected) => expect(minorOf(text, sign)).toEqual(expected))
})

describe('without one', () => {
  test.each<[string, ReturnType<typeof minorOf>]>([
    ['12', 1200],
    ['12,5', 1250],
    ['12.50', 1250],
    ['1.250', [125, 125000]],
    // A cent has no tenth, so only the thousands are left.
    ['12,505', 1250500],
    ['1.250.000', 125000000],
    ['1,250.00', 125000],
    ['1.250,00', 125000],
    ['1 200', 120000],
    ['1.250,-', 125000],
    ['12.--', 1200],
    ['0,500', 50],
  ])('%s', (text, expected) => expect(minorOf(text)).toEqual(expected))
})

describe('signs', () => {
  test.each([
    ['-12.50', -1250],
    ['− 12.50', -1250],
    ['– 12.50', -1250],
    ['—12.50', -1250],
    ['－12.50', -1250],
    ['12.50-', -1250],
    ['12.50 −', -1250],
    ['(12.50)', -1250],
    ['($12.50)', -1250],
    ['$(12.50)', -1250],
    ['-€12.50', -1250],
    ['€-12.50', -1250],
    ['€ -12.50', -1250],
    ['12.50- EUR', -1250],
    ['12.50 EUR-', -1250],
    ['12.50 DR', -1250],
    ['DR 12.50', -1250],
    ['12.50 d', -1250],
    ['12.50 S', -1250],
    ['12.50 Дт', -1250],
    ['12.50CR', 1250],
    ['12.50 H', 1250],
    ['+12.50', 1250],
    ['0.00-', 0],
    ['--12.50', null],
    ['-(12.50)', null],
    ['-12.50 DR', null],
    ['+12.50-', null],
    ['S12.50', null],
    ['-', null],
    ['()', null],
  ])('%s', (text, expected) => {
    expect(minorOf(text, '.')).toBe(expected)
    expect(Object.is(minorOf(text, '.'), -0)).toBe(false)
  })
})

describe('currencies', () => {
  const currencies = (text: string) => {
    const read = readAmount(text, { digits: 2, decimalSign: '.' })
    return read.is === 'amount' && read.minor === 1250 ? read.currencies : null
  }
  test.each([
    ['12.50', []],
    ['12.50 USD', ['USD']],
    ['usd12.50', ['USD']],
    ['US$ 12.50', ['USD']],
    ['$12.50 CAD', ['CAD']],
    ['12.50 €', ['EUR']],
    ['12.50\u00a0֏', ['AMD']],
    ['12.50 դր.', ['AMD']],
    ['12.50 драм', ['AMD']],
    ['12.50 руб.', ['RUB', 'BYN']],
    ['Rs. 12.50', ['INR', 'PKR', 'LKR']],
    ['\u200e12.50 ₽', ['RUB']],
  ])('%s', (text, codes) => expect(currencies(text)).toEqual(codes))

  test('a dollar sign may mean several', () => expect(currencies('$12.50')).toContain('USD'))

  test.each([['€12.50 USD'], ['12.50 apples'], ['12.50 XQZ'], ['kr.50'], ['USD.50'], ['12 руб. 50 коп.']])(
    '%s is no amount',
    (text) => expect(minorOf(text, '.')).toBeNull(),
  )
})

test.each([
  [''],
  [' '],
  ['.'],
  ['1.25E+03'],
  ['1e5'],
  ['=12.50'],
  ["'12.50"],
  ['12.50%'],
  ['0x12'],
  ['٣'],
  ['12.50 12.50'],
  ['1'.repeat(40)],
])('%j is no amount', (text) => {
  expect(minorOf(text)).toBeNull()
  expect(minorOf(text, '.')).toBeNull()
  expect(minorOf(text, ',')).toBeNull()
})

test.each<[string, number, DecimalSign | undefined, ReturnType<typeof minorOf>]>([
  ['1,250', 0, undefined, 1250],
  ['1,000', 0, undefined, 1000],
  ['1,234.00', 0, '.', 1234],
  ['12.5', 0, '.', null],
  ['1.000', 0, '.', [1, 1000]],
  ['1.234', 3, '.', 1234],
  ['1.234', 3, undefined, [1234, 1234000]],
  ['5', 3, '.', 5000],
])('%s with %i decimals and the sign %s', (text, digits, sign, expected) => {
  expect(minorOf(text, sign, digits)).toEqual(expected)
})

const GROUPS = ['', ' ', '\u00a0', "'"]
test('whatever a bank writes is read as the number that it wrote', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e12 }),
      fc.constantFrom<DecimalSign>('.', ','),
      fc.constantFrom(...GROUPS, 'other'),
      fc.constantFrom(
        (each: string) => `-${each}`,
        (each: string) => `${each}−`,
        (each: string) => `(${each})`,
      ),
      fc.constantFrom(
        (each: string) => each,
        (each: string) => `€${each}`,
        (each: string) => `${each} EUR`,
      ),
      (minor, sign, group, minus, currency) => {
        const between = group === 'other' ? (sign === '.' ? ',' : '.') : group
        const whole = String(Math.floor(minor / 100)).replaceAll(/\B(?=(\d{3})+$)/g, between)
        const text = minus(currency(`${whole}${sign}${String(minor % 100).padStart(2, '0')}`))
        expect(minorOf(text, sign)).toBe(0 - minor)
        // Two decimals say by themselves which sign stands before them.
        expect(minorOf(text)).toBe(0 - minor)
      },
    ),
  )
})
