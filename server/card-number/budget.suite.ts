/** How often other numbers are taken for card numbers, and how often card numbers are missed. The counts are the filter's budget. */
import { describe, expect, test } from 'vitest'
import {
  GROUPED_SPELLINGS,
  randomCardNumber,
  SPELLINGS,
  WHOLE_SPELLINGS,
} from '../testing/attacks/card-numbers.ts'
import { FORMS } from '../testing/attacks/identifiers.ts'
import { seededRandom } from '../testing/random.ts'
import { findCardNumber, readCardNumber } from './find.ts'

/** How many values of one form may be rejected in free text. */
const REJECTED_IN_TEXT_MAX = 2
const EXAMPLES_MAX = 3

/** `count`: how many values are made of each form and spelling. */
export function testBudget({ count, seed }: { count: number; seed: number }): void {
  const values = (make: (random: ReturnType<typeof seededRandom>) => string) => {
    const random = seededRandom(seed)
    return Array.from({ length: count }, () => make(random))
  }

  describe(`of ${count} identifiers (seed ${seed})`, () => {
    for (const [form, { make, hard }] of Object.entries(FORMS))
      test(`${form}: none is rejected as identifier, at most ${REJECTED_IN_TEXT_MAX} in free text`, () => {
        const all = values(make)
        const asIdentifier = all.filter(readCardNumber)
        const alone = all.filter((value) => findCardNumber(value))
        const inText = all.filter((value) => findCardNumber(`Order ${value}, thank you`))
        if (hard) return void process.stdout.write(`${form}: ${rates(asIdentifier, alone, inText)}\n`)
        expect(asIdentifier.slice(0, EXAMPLES_MAX)).toEqual([])
        expect(alone.slice(REJECTED_IN_TEXT_MAX)).toEqual([])
        expect(inText.slice(REJECTED_IN_TEXT_MAX)).toEqual([])
      })
  })
  const rates = (...rejected: string[][]) =>
    `${rejected.map(({ length }) => length).join(', ')} of ${count} rejected as identifier, as text and in a sentence`

  describe(`of ${count} card numbers (seed ${seed})`, () => {
    for (const [spelling, spell] of Object.entries(SPELLINGS))
      test(`none passes in free text: ${spelling}`, () => {
        const all = values((random) => spell(randomCardNumber(random)))
        expect(all.filter((text) => findCardNumber(text) === null).slice(0, EXAMPLES_MAX)).toEqual([])
      })

    for (const [spelling, spell] of Object.entries(WHOLE_SPELLINGS))
      test(`none passes as identifier: ${spelling}`, () => {
        const all = values((random) => spell(randomCardNumber(random, [14, 15, 16, 18, 19])))
        expect(all.filter((text) => readCardNumber(text) === null).slice(0, EXAMPLES_MAX)).toEqual([])
      })

    for (const [spelling, [length, spell]] of Object.entries(GROUPED_SPELLINGS))
      test(`none passes anywhere: ${spelling}`, () => {
        const all = values((random) => spell(randomCardNumber(random, [length])))
        const missed = all.filter((text) => findCardNumber(text) === null || readCardNumber(text) === null)
        expect(missed.slice(0, EXAMPLES_MAX)).toEqual([])
      })

    test('none of 13 digits passes beside a word, and none of them counts without one or as identifier', () => {
      const all = values((random) => {
        let body = `4${random(0, 10)}`
        while (body.length < 12) body += String(random(0, 10))
        return body
      }).flatMap((body) => Array.from({ length: 10 }, (_, digit) => `${body}${digit}`))
      const found = all.filter((number) => findCardNumber(`Visa ${number}`))
      expect(found.length).toBe(count)
      expect(found.filter((number) => !findCardNumber(number, 'cardNumber'))).toEqual([])
      expect(all.filter((number) => findCardNumber(`Order ${number}`) ?? readCardNumber(number))).toEqual([])
    })
  })
}
