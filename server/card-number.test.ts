import { describe, expect, test } from 'vitest'
import { holdsCardNumber } from './card-number.ts'
import { BRAND_PREFIXES, cardNumber, SPELLINGS } from './testing/attacks/card-numbers.ts'
import { growthOf, LINEAR_BELOW, repeated } from './testing/growth.ts'

const numbers = BRAND_PREFIXES.flatMap(([prefix, length]) =>
  Array.from({ length: 5 }, (_, index) => cardNumber(prefix, length, index)),
)

describe('a card number', () => {
  for (const [name, spell] of Object.entries(SPELLINGS))
    test(`is found by both measures: ${name}`, () => {
      for (const number of numbers)
        for (const measure of ['loose', 'branded'] as const)
          expect([spell(number), holdsCardNumber(spell(number), measure)]).toEqual([spell(number), true])
    })

  test('with one digit changed is not found', () => {
    for (const number of numbers) {
      const other = `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`
      expect([other, holdsCardNumber(other, 'loose')]).toEqual([other, false])
    }
  })

  test('of no brand is found only by the loose measure', () => {
    const number = cardNumber('72', 16, 1)
    expect(holdsCardNumber(number, 'loose')).toBe(true)
    expect(holdsCardNumber(number, 'branded')).toBe(false)
  })

  test('is found in the digits of every script that this Node knows', () => {
    const number = cardNumber('4', 16, 3)
    for (const numberingSystem of Intl.supportedValuesOf('numberingSystem')) {
      const format = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false })
      const spelt = [...number].map((digit) => format.format(Number(digit))).join('')
      if (!/^\p{Nd}{16}$/u.test(spelt)) continue
      expect([numberingSystem, holdsCardNumber(spelt, 'branded')]).toEqual([numberingSystem, true])
    }
    expect(Intl.supportedValuesOf('numberingSystem').length).toBeGreaterThan(50)
  })

  test('is found behind a long text', () => {
    for (const before of ['. ', '4 ', '\u0300\u0316', '42-'])
      expect(holdsCardNumber(`${before.repeat(20_000)}x4242424242424242`, 'branded')).toBe(true)
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
  '\ud83d',
]

test.each(HOSTILE)('text of %j over and over takes time in proportion to its length', (part) => {
  for (const measure of ['loose', 'branded'] as const)
    expect(growthOf((text) => void holdsCardNumber(text, measure), repeated(part), 8_000)).toBeLessThan(
      LINEAR_BELOW,
    )
})

describe('digits that only look like a card number', () => {
  test('100,000 timestamps in milliseconds are not found', () => {
    const found: string[] = []
    for (let index = 0; index < 100_000; index++) {
      const text = String(1_600_000_000_000 + index * 3_999_971)
      if (holdsCardNumber(text, 'loose') || holdsCardNumber(text, 'branded')) found.push(text)
    }
    expect(found).toEqual([])
  })

  test('20,000 times of RFC 3339 are not found, with any fraction and offset', () => {
    const found: string[] = []
    for (let index = 0; index < 20_000; index++) {
      const second = new Date(Date.UTC(2026, 0, 1) + index * 98_765_431).toISOString().slice(0, 19)
      const fraction = String((index * 7_919_993) % 1_000_000_000).slice(0, 1 + (index % 9))
      const time = `${second}.${fraction}${['Z', '+04:00', '-03:30'][index % 3]}`
      if (holdsCardNumber(time, 'loose')) found.push(time)
    }
    expect(found).toEqual([])
  })

  test('a card number in the fraction of a time is found', () => {
    expect(holdsCardNumber('2026-11-24T21:56:50.4111111111111111Z', 'branded')).toBe(true)
  })

  test('10,000 international telephone numbers are not found, in any grouping', () => {
    const countries = ['374', '7', '1', '49', '44', '86', '55', '91', '995', '33']
    const found: string[] = []
    for (let index = 0; index < 10_000; index++) {
      const country = countries[index % countries.length] ?? ''
      const digits = String(1_000_000_000 + ((index * 7_919_993) % 9_000_000_000))
      for (const text of [
        `+${country}${digits}`,
        `Call +${country} ${digits.slice(0, 3)} ${digits.slice(3)}`,
      ])
        if (holdsCardNumber(text, 'loose')) found.push(text)
    }
    expect(found).toEqual([])
  })

  test('10,000 UUIDs and ids of the service are not found', () => {
    for (let index = 0; index < 10_000; index++) {
      const uuid = crypto.randomUUID()
      expect([uuid, holdsCardNumber(`order ${uuid}`, 'loose')]).toEqual([uuid, false])
    }
    expect(holdsCardNumber('pay_01424242424242424242424242', 'loose')).toBe(false)
  })

  test('the branded measure finds at most 5 of 100 random numbers of 16 digits', () => {
    let found = 0
    for (let index = 0; index < 10_000; index++)
      if (holdsCardNumber(String(1e15 + ((index * 900_719_925_473) % 9e15)), 'branded')) found++
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
  ]
  for (const text of ordinary)
    test(`"${text}" is not found`, () => {
      expect(holdsCardNumber(text, 'loose')).toBe(false)
    })
})
