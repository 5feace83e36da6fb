import type { Locale } from '../../pages/words/locale.ts'

/** English, and every other language that has words for the console. Readers of a language without words get English. */
export type Family<Key extends string> = { en: Record<Key, string> } & Partial<
  Record<Locale, Record<Key, string>>
>

/** The words of one family of screens. The compiler refuses a language that lacks a key of the others. */
export function family<Key extends string>(words: Family<Key>): Family<Key> {
  return words
}
