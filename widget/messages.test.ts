import { expect, test } from 'vitest'
import { BUTTON_LOCALES } from '../server/pages/install/choice.ts'
import { MESSAGES, pickLocale, splitLabel } from './messages.ts'

const english = Object.keys(MESSAGES.en)

test.each(Object.entries(MESSAGES))(
  '%s has every text, no empty text and places for the price',
  (_, words) => {
    expect(Object.keys(words)).toEqual(english)
    for (const word of Object.values(words)) expect(word.trim()).not.toBe('')
    for (const word of [words.pay, words.changed]) expect(word.split('%s')).toHaveLength(2)
  },
)

test('the install page offers every language of the button', () => {
  expect(Object.keys(BUTTON_LOCALES).sort()).toEqual(Object.keys(MESSAGES).sort())
})

test('a language is found by its primary subtag, whatever its case', () => {
  expect(pickLocale(['HY-AM'])).toBe('hy')
  expect(pickLocale([undefined, null, '', 'xx', 'es-419'])).toBe('es')
})

test.each(['constructor', 'toString', '__proto__'])('%s is not a language', (name) => {
  expect(pickLocale([name])).toBe('en')
})

test('a label is split around its price', () => {
  expect(splitLabel('Jetzt %s bezahlen', '12,00 €')).toEqual(['Jetzt ', ' bezahlen'])
  expect(splitLabel('Pay %s', '€1')).toEqual(['Pay ', ''])
})

test('without a price, or without %s, the label is one piece', () => {
  expect(splitLabel('Jetzt %s bezahlen', undefined)).toEqual(['Jetzt bezahlen'])
  expect(splitLabel('Pay %s', undefined)).toEqual(['Pay'])
  expect(splitLabel('Donate', '€1')).toEqual(['Donate'])
})
