import { describe, expect, test } from 'vitest'
import { BRAND_PREFIXES, cardNumber } from '../testing/attacks/card-numbers.ts'
import { growthOf, LINEAR_BELOW, repeated } from '../testing/growth.ts'
import { maskCardNumbers } from './mask.ts'

const NUMBERS = [...BRAND_PREFIXES, ['4', 13], ['5018', 13], ['305', 16], ['3095', 19], ['8199', 16]] as const

describe('the log never shows a card number', () => {
  const inFours = (number: string) => number.match(/.{1,4}/g) ?? []
  const spellings: Record<string, (number: string) => string> = {
    together: String,
    'in fours': (number) => inFours(number).join(' '),
    'with underscores': (number) => inFours(number).join('_'),
    'digit by digit': (number) => [...number].join('.'),
    'before a date': (number) => `${number}1229`,
    'before a date and a code': (number) => `${number} 12/29 123`,
    'after and before other digits': (number) => `17 ${number} 2029`,
    'between letters': (number) => `x${number}x`,
  }
  test.each(Object.entries(spellings))('%s', (_, spell) => {
    for (const [prefix, length] of NUMBERS)
      for (let variant = 0; variant < 5; variant++) {
        const number = cardNumber(prefix, length, variant)
        const masked = maskCardNumbers(`{"note":"${spell(number)}"}`)
        expect([spell(number), masked]).toEqual([spell(number), expect.stringContaining('[card number]')])
        expect(masked.replaceAll(/\D/g, '')).not.toContain(number)
      }
  })

  test('other digits stay', () => {
    const line = '{"time":1795417000123,"at":"2026-11-23T07:02:12.123Z","from":"192.168.100.254","ms":12.5}'
    expect(maskCardNumbers(line)).toBe(line)
  })
})

test.each(['4', '4 ', '4111 ', '4.', '41111111111111111 '])(
  'a line of %j over and over takes time in proportion to its length',
  (part) => {
    expect(growthOf((text) => void maskCardNumbers(text), repeated(part), 2_000)).toBeLessThan(LINEAR_BELOW)
  },
)
