import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AMOUNT_MINOR_MAX } from '../../contract/fields.ts'
import { formatAmount, formatMoment, LOCALES, negotiateLocale } from './locale.ts'

/** Intl writes no-break spaces; the tests read better without them. */
const plain = (text: string | undefined) => text?.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('the page language', () => {
  test.each([
    [undefined, undefined, 'en'],
    ['', undefined, 'en'],
    ['hy-AM,hy;q=0.9,en;q=0.8', undefined, 'hy'],
    ['ru', undefined, 'ru'],
    ['de-DE,de;q=0.9,ru;q=0.5,hy;q=0.7', undefined, 'hy'],
    ['en;q=0.3, ru;q=0.3', undefined, 'en'],
    ['hy;q=0, ru;q=0.1', undefined, 'ru'],
    ['hy;q=high, ru;q=0.1', undefined, 'ru'],
    ['*', undefined, 'en'],
    ['fr, de', undefined, 'en'],
    ['en', 'hy', 'hy'],
    ['en', 'RU-ru', 'ru'],
    ['ru', 'klingon', 'ru'],
  ] as const)('Accept-Language %j with the wish %j gives %s', (header, wish, locale) => {
    expect(negotiateLocale(header, wish)).toBe(locale)
  })

  test('any header at all gives one of the three', () => {
    fc.assert(fc.property(fc.string(), (header) => LOCALES.includes(negotiateLocale(header))))
  })
})

describe('an amount', () => {
  test.each([
    [190000, 'AMD', 'hy', '1 900 ֏'],
    [190000, 'AMD', 'ru', '1 900 ֏'],
    [190000, 'AMD', 'en', '֏1,900'],
    [190050, 'AMD', 'en', '֏1,900.50'],
    [190005, 'AMD', 'hy', '1 900,05 ֏'],
    [1500, 'USD', 'en', '$15.00'],
    [1500, 'USD', 'hy', '15,00 $'],
    [1999, 'EUR', 'ru', '19,99 €'],
    [1, 'EUR', 'en', '€0.01'],
    [10, 'AMD', 'ru', '0,10 ֏'],
    [AMOUNT_MINOR_MAX, 'USD', 'en', '$10,000,000,000.00'],
  ] as const)('%d minor units of %s in %s read %s', (amountMinor, currency, locale, text) => {
    expect(plain(formatAmount(amountMinor, currency, locale))).toBe(text)
  })

  test('keeps every digit, however large', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: AMOUNT_MINOR_MAX }),
        fc.constantFrom(...LOCALES),
        (minor, locale) => {
          const digits = formatAmount(minor, 'USD', locale).replaceAll(/\D/g, '')
          expect(Number(digits)).toBe(minor)
        },
      ),
    )
  })
})

describe('a moment', () => {
  test('is written in the shop’s zone, and says so', () => {
    expect(plain(formatMoment('2026-03-04T15:30:00Z', 'en'))).toBe('March 4 at 19:30 GMT+4')
    expect(plain(formatMoment('2026-03-04T15:30:00Z', 'ru'))).toBe('4 марта в 19:30 GMT+4')
  })

  test('is left out when it is not a time', () => {
    expect(formatMoment('soon', 'hy')).toBeUndefined()
  })
})
