import { expect, test } from 'vitest'
import { isOneLine, readable } from './one-line.ts'

test.each([
  'Urts \u202eaet',
  'Ani\u200b',
  'An\u200di',
  'Անի\u200c',
  'Анна\u2060',
  '\ufeffAni',
  'A\u00adni',
  'Ani\ufe0f',
  'Ani\u3164',
  'Ani\u{e0041}',
  'Ani\n',
  'a\u001b[31m',
])('%j is no name, and a reader sees where it hides something', (text) => {
  expect(isOneLine(text)).toBe(false)
  expect(readable(text)).toContain('\u00b7')
})

test.each([
  'Urts tea, Yerevan',
  '«Ուրց» թեյ',
  'Чай «Урц»',
  '☕️ 👩‍🍳 1️⃣ 🇦🇲 👍🏽',
  'می‌خواهم',
  'क्‍ष',
  'é',
  '李𠮷',
])('%s is a name, and is read as it is', (text) => {
  expect(isOneLine(text)).toBe(true)
  expect(readable(text)).toBe(text)
})
