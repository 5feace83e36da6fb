import { expect, test } from 'vitest'
import { ORDER_MESSAGES, type OrderKey } from './order-messages.ts'
import { ORDER_EN } from './order-messages-en.ts'

const keys = Object.keys(ORDER_EN) as OrderKey[]
const holes = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()
const SCRIPTS = { hy: /\p{Script=Armenian}/u, ru: /\p{Script=Cyrillic}/u } as const

test.each(['hy', 'ru'] as const)(
  '%s has every sentence in its own letters, with the same holes',
  (locale) => {
    const table = ORDER_MESSAGES[locale]
    for (const key of keys) {
      const text = table?.[key] ?? ''
      expect(holes(text), key).toEqual(holes(ORDER_EN[key]))
      const words = text.replaceAll(/\{\w+\}/g, '')
      expect(words, key).not.toMatch(/\p{Script=Latin}/u)
      if (/\p{L}/u.test(words)) expect(words, key).toMatch(SCRIPTS[locale])
    }
  },
)
