import type { Locale } from '../../pages/words/locale.ts'

/** The words of one family of screens. The compiler refuses a key that one of the languages does not have. */
export function family<Key extends string>(words: Record<Locale, Record<Key, string>>): typeof words {
  return words
}
