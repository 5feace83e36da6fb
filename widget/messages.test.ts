import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BUTTON_LOCALES } from '../server/pages/install/choice.ts'
import { ENGLISH, LOCALES, pickLocale, splitLabel } from './messages.ts'

const english = Object.keys(ENGLISH)
const FOLDER = new URL('./languages/', import.meta.url)
const textsIn = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))
const files = readdirSync(FOLDER)
const all = [['en', ENGLISH], ...files.map((name) => [name, textsIn(name)])] as [
  string,
  Record<string, string>,
][]

test.each(all)('%s has every text in the order of English, and places for the price', (_, words) => {
  expect(Object.keys(words)).toEqual(english)
  for (const word of Object.values(words)) {
    expect(word.trim()).not.toBe('')
    // The sign stands between the texts of a snippet.
    expect(word).not.toContain('|')
  }
  for (const word of [words.pay, words.changed]) expect(word?.split('%s')).toHaveLength(2)
})

test('each language has a file, and the install page offers it', () => {
  expect(['en', ...files.map((name) => name.replace('.json', ''))].sort()).toEqual([...LOCALES].sort())
  expect(Object.keys(BUTTON_LOCALES).sort()).toEqual([...LOCALES].sort())
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
