import { expect, test } from 'vitest'
import { LOCALES } from './locale.ts'
import { MESSAGES, type MessageKey, say } from './messages.ts'

const keys = Object.keys(MESSAGES.en) as MessageKey[]
const holes = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()

test.each(LOCALES)('%s has every sentence, none empty, with the same holes', (locale) => {
  expect(Object.keys(MESSAGES[locale]).sort()).toEqual([...keys].sort())
  for (const key of keys) {
    expect(MESSAGES[locale][key].trim(), key).not.toBe('')
    expect(holes(MESSAGES[locale][key]), key).toEqual(holes(MESSAGES.en[key]))
  }
})

test('Armenian is written in Armenian and Russian in Russian, with no letter of the other alphabet', () => {
  for (const key of keys) {
    expect(MESSAGES.hy[key], key).toMatch(/\p{Script=Armenian}/u)
    expect(MESSAGES.hy[key], key).not.toMatch(/\p{Script=Cyrillic}/u)
    expect(MESSAGES.ru[key], key).toMatch(/\p{Script=Cyrillic}/u)
    expect(MESSAGES.ru[key], key).not.toMatch(/\p{Script=Armenian}/u)
    for (const locale of ['hy', 'ru'] as const) {
      const latin = MESSAGES[locale][key].replaceAll(/\{\w+\}|Kassa|QR|BIC/g, '')
      expect(latin, key).not.toMatch(/\p{Script=Latin}/u)
    }
  }
})

test('a value that looks like a hole is not filled again', () => {
  expect(say('en', 'pay', { amount: '{amount}' })).toBe('Pay {amount}')
})
