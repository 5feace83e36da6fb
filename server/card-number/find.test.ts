import { describe, expect, test } from 'vitest'
import { BRAND_PREFIXES, cardNumber, SPELLINGS, WHOLE_SPELLINGS } from '../testing/attacks/card-numbers.ts'
import { growthOf, LINEAR_BELOW, repeated } from '../testing/growth.ts'
import { findCardNumber, readCardNumber } from './find.ts'

const numbers = BRAND_PREFIXES.flatMap(([prefix, length]) =>
  Array.from({ length: 5 }, (_, index) => cardNumber(prefix, length, index)),
)

describe('a card number', () => {
  for (const [name, spell] of Object.entries(SPELLINGS))
    test(`is found: ${name}`, () => {
      for (const number of numbers) expect([spell(number), findCardNumber(spell(number))]).not.toContain(null)
    })

  test('as a whole is found in each of its spellings', () => {
    for (const spell of Object.values(WHOLE_SPELLINGS))
      for (const number of numbers)
        expect([spell(number), readCardNumber(` ${spell(number)}\n`)]).toEqual([
          spell(number),
          number.slice(-4),
        ])
  })

  test('with other text is no identifier that as a whole is a card number', () => {
    for (const number of numbers)
      for (const text of [`order-${number}`, `pan_${number}1229`, `${number}-1`, `${number} ${number}`])
        expect([text, readCardNumber(text)]).toEqual([text, null])
  })

  test('with one digit changed is not found', () => {
    for (const number of numbers) {
      const other = `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`
      expect([other, findCardNumber(other)]).toEqual([other, null])
    }
  })

  test('of no brand is not found', () => {
    for (const [prefix, length] of [
      ['72', 16],
      ['2300', 15],
      ['30', 16],
      ['8199', 19],
      ['80', 16],
    ] as const)
      expect(findCardNumber(cardNumber(prefix, length, 1))).toBeNull()
  })

  test('is found in the digits of every script that this Node knows', () => {
    const number = cardNumber('4', 16, 3)
    for (const numberingSystem of Intl.supportedValuesOf('numberingSystem')) {
      const format = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false })
      const spelt = [...number].map((digit) => format.format(Number(digit))).join('')
      if (!/^\p{Nd}{16}$/u.test(spelt)) continue
      expect([numberingSystem, findCardNumber(spelt)]).toEqual([numberingSystem, number.slice(-4)])
    }
    expect(Intl.supportedValuesOf('numberingSystem').length).toBeGreaterThan(50)
  })

  test('is found behind a long text', () => {
    for (const before of ['. ', '4 ', '\u0300\u0316', '42-'])
      expect(findCardNumber(`${before.repeat(20_000)}x4242424242424242`)).toBe('4242')
  })

  test('of 13 digits is found only beside a word for cards, or in a field of such a name', () => {
    const number = cardNumber('4', 13, 1)
    for (const text of [
      `card ${number}`,
      `Visa: ${number}`,
      `pan_${number}`,
      `${number} (քարտ)`,
      `карта ${number}`,
    ])
      expect([text, findCardNumber(text)]).toEqual([text, number.slice(-4)])
    expect(findCardNumber(number, 'cardNumber')).toBe(number.slice(-4))
    for (const text of [number, `order ${number}`, `Japan ${number}`, `postcards ${number}`])
      expect([text, findCardNumber(text)]).toEqual([text, null])
  })
})

const HOSTILE = [
  '4 ',
  '4',
  '42-',
  '٤ ',
  '௪ ',
  '. ',
  '4.',
  '4'.padEnd(101, '.'),
  '4111 ',
  '4111 1111 1111 1111 ',
  '4111111111111111 ',
  'card 4222222222222 ',
  '\u0300\u0316',
  '4\u0300\u0316',
  '4\u0316\u0300\u0323',
  '\uff9e\uff9f',
  '\u1100\u1161',
  '\ufdfa',
  '¼',
  '①',
  '0a-',
  'abcdef01-',
  'DE12',
  'DE12 ',
  '\ud83d',
  '&#0',
  '&#52;',
  '&amp;',
  '\\u0034',
  '\\\\',
]

test.each(HOSTILE)('text of %j over and over takes time in proportion to its length', (part) => {
  for (const read of [findCardNumber, readCardNumber])
    expect(growthOf((text) => void read(text), repeated(part), 2_000)).toBeLessThan(LINEAR_BELOW)
})

describe('what is written beside the digits', () => {
  const number = cardNumber('4', 16, 3)
  test.each([
    [`x${number}x`, null],
    [`x${number}_x`, number.slice(-4)],
    [`1${number}`, null],
    [`${number}9`, null],
    [`${number}1300`, null],
    [`${number}0030`, null],
    [`0.${number}`, null],
    [`at 40.${number} degrees`, null],
    [`no.${number}`, number.slice(-4)],
    [`${number.slice(0, 4)}  ${number.slice(4, 8)}  ${number.slice(8)}`, null],
    [number.replaceAll(/.{5}/g, '$& '), null],
    [`FI${number}`, null],
    [`FX${number}`, number.slice(-4)],
  ])('%s', (text, found) => {
    expect(findCardNumber(text)).toBe(found)
  })
})

describe('digits that only look like a card number', () => {
  test('20,000 times of RFC 3339 are not found, with any fraction and offset', () => {
    const found: string[] = []
    for (let index = 0; index < 20_000; index++) {
      const second = new Date(Date.UTC(2026, 0, 1) + index * 98_765_431).toISOString().slice(0, 19)
      const fraction = String((index * 7_919_993) % 1_000_000_000).slice(0, 1 + (index % 9))
      const time = `${second}.${fraction}${['Z', '+04:00', '-03:30'][index % 3]}`
      if (findCardNumber(time)) found.push(time)
    }
    expect(found).toEqual([])
  })

  test('of random numbers of 16 digits at most 5 of 100 are found', () => {
    let found = 0
    for (let index = 0; index < 10_000; index++)
      if (findCardNumber(String(1e15 + ((index * 900_719_925_473) % 9e15)))) found++
    expect(found).toBeGreaterThan(0)
    expect(found).toBeLessThan(500)
  })

  const ordinary = [
    '2026-11-21T07:37:22.123Z',
    '0.30000000000000004',
    '1900.50',
    '+374 10 12-34-56',
    '4111',
    '',
    'Order 1001 of 21.11.2026',
    '12345678901234567890123456789012',
    'ref 4242-4242',
    'IBAN GB82WEST12345698765432',
    'pay_01424242424242424242424242',
  ]
  for (const text of ordinary)
    test(`"${text}" is not found`, () => {
      expect(findCardNumber(text)).toBeNull()
    })
})
