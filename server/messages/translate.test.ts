import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from '../contract/languages.ts'
import {
  CATALOGUES,
  literalsOf,
  missingForms,
  readCatalogue,
  standsBare,
  valuesOf,
  writeTypes,
} from '../testing/messages/values.ts'
import { VALUES_FILE } from '../testing/messages/write-values.ts'
import { fill, translate } from './translate.ts'

/** Whoever reads these may know no English. */
const IN_EVERY_LANGUAGE = ['bank', 'findings', 'install', 'mails', 'pages']
/** Developers and operators read these in English. */
const ENGLISH_ALONE = ['cli', 'errors']

const codes = Object.keys(LANGUAGES) as Language[]
const others = codes.filter((code) => code !== 'en')
const translated = others.flatMap((language) =>
  CATALOGUES.flatMap((name) => {
    const texts = readCatalogue(language, name)
    return texts ? [{ language, name, texts, english: readCatalogue('en', name) ?? {} }] : []
  }),
)

test('the types are those of the English catalogues', () => {
  // If this fails: npm run generate -- messages
  expect(readFileSync(VALUES_FILE, 'utf8')).toBe(writeTypes())
})

test.each(translated)(
  '$name in $language has every key, and each message the same values',
  ({ language, texts, english }) => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort())
    for (const [key, text] of Object.entries(texts)) {
      expect(text.trim(), key).not.toBe('')
      expect(valuesOf(language, text), key).toEqual(valuesOf('en', english[key] ?? ''))
    }
  },
)

test.each(others)('%s has the catalogues that no reader may lack', (language) => {
  const missing = IN_EVERY_LANGUAGE.filter((name) => readCatalogue(language, name) === null)
  expect(missing).toEqual([])
  expect(ENGLISH_ALONE.filter((name) => readCatalogue(language, name))).toEqual([])
})

const english = CATALOGUES.map((name) => ({ language: 'en', name, texts: readCatalogue('en', name) ?? {} }))
const written = [...english, ...translated]

test.each(written)(
  '$name in $language has each form that a plural of the language needs',
  ({ language, texts }) => {
    const lacking = Object.entries(texts).map(([key, text]) => [key, ...missingForms(language, text)])
    expect(lacking.filter(([, ...forms]) => forms.length > 0)).toEqual([])
    expect(missingForms('ru', '{count, plural, one {# день} other {# дней}}')).toEqual(['few', 'many'])
  },
)

test.each(written.filter(({ language }) => language === 'en' || language === 'ru'))(
  '$name in $language counts each noun behind a number',
  ({ language, texts }) => {
    const bare = Object.entries(texts).filter(([, text]) => standsBare(language, text))
    expect(bare.map(([key]) => key)).toEqual([])
    expect(standsBare('ru', 'не больше {chars} знаков')).toBe(true)
    expect(
      standsBare('ru', '{chars, plural, one {{chars} знака} few {# знаков} many {# знаков} other {#}}'),
    ).toBe(false)
  },
)

const SCRIPTS: Partial<Record<Language, { own: RegExp; foreign: RegExp }>> = {
  hy: { own: /\p{Script=Armenian}/u, foreign: /\p{Script=Cyrillic}/u },
  ru: { own: /\p{Script=Cyrillic}/u, foreign: /\p{Script=Armenian}/u },
}
/** Whoever reads these may not read Latin letters. */
const FOR_ALL = ['bank', 'mails', 'orders', 'pages']

test.each(translated)(
  '$name in $language is written in the letters of its language',
  ({ language, name, texts }) => {
    const script = SCRIPTS[language]
    if (!script) return
    for (const [key, text] of Object.entries(texts)) {
      const literals = literalsOf(language, text).replaceAll(/Kassa|QR|BIC/g, '')
      expect(literals, key).not.toMatch(script.foreign)
      if (!FOR_ALL.includes(name)) continue
      expect(literals, key).not.toMatch(/\p{Script=Latin}/u)
      if (/\p{L}/u.test(literals)) expect(literals, key).toMatch(script.own)
    }
  },
)

describe('a message', () => {
  const cases = 'waits: {count, plural, one {# case} few {# дела} other {# cases}}'

  test('counts as its language does', () => {
    expect([1, 3, 1200].map((count) => fill('en', cases, { count }))).toEqual([
      'waits: 1 case',
      'waits: 3 cases',
      'waits: 1,200 cases',
    ])
    expect(fill('ru', cases, { count: 3 })).toBe('waits: 3 дела')
  })

  test('takes values as plain text', () => {
    expect(fill('en', 'Pay {amount}', { amount: "{amount} <b> it's" })).toBe("Pay {amount} <b> it's")
  })

  test('without its value is a fault of the program', () => {
    expect(() => fill('en', 'Pay {amount}')).toThrow('amount')
  })

  test('of a key that can be one of several needs the values of all', () => {
    const keyOf = (isCut: boolean) => (isCut ? 'orders.listMore' : 'orders.moreText')
    expect(translate('en', keyOf(true), { count: 200 })).toBe('Only the first 200 orders are shown here.')
    expect(translate('en', keyOf(false), { count: 1 })).toBe('one is not listed here')
    // @ts-expect-error: without its value
    expect(() => translate('en', 'orders.quantity')).toThrow('count')
    // @ts-expect-error: a number counts, not a text
    expect(translate('en', 'orders.quantity', { count: '2' })).toBe('2 pieces')
    // @ts-expect-error: there is no such message
    expect(translate('en', 'orders.nothing')).toBe('orders.nothing')
  })

  test('that a language lacks is English, also its plurals', () => {
    expect(translate('ru', 'errors.value.tooLong', { limit: 21 })).toBe('must have at most 21 characters')
    expect(translate('ru', 'errors.value.tooLong', { limit: 1 })).toBe('must have at most 1 character')
  })
})
