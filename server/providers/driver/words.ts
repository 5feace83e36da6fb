/**
 * How a driver reads its provider's words: from a table of the words that it knows.
 * Rule: a word that is not in the table never means the harmless thing. It is reported, and a person is told about it.
 */

/** `what`: which field it is. `word`: as the provider writes it, as far as it can be shown. */
export type UnknownWord = { what: string; word: string }

const CHARS_MAX = 64
/** A text with more digits is no word. It could be the number of a card or an account. */
const DIGITS_MAX = 6

/** Returns the word as far as it can be shown. */
export function asWord(what: string, word: string): UnknownWord {
  const digits = word.replaceAll(/\D/g, '').length
  return { what, word: digits > DIGITS_MAX ? '?' : word.replaceAll(/[^\w.-]/g, '?').slice(0, CHARS_MAX) }
}

export type WordReader = ReturnType<typeof createWordReader>

/** Reads the words of one answer, and keeps those that the tables do not have. */
export function createWordReader() {
  const unknown: UnknownWord[] = []
  return {
    unknown,
    /** Returns what the table says about the word. `otherwise`: what a word means that is not in the table. */
    read<Meaning>(
      what: string,
      table: Readonly<Record<string, Meaning>>,
      word: string,
      otherwise: Meaning,
    ): Meaning {
      const known = Object.hasOwn(table, word) ? table[word] : undefined
      if (known !== undefined) return known
      const shown = asWord(what, word)
      if (!unknown.some((each) => each.what === what && each.word === shown.word)) unknown.push(shown)
      return otherwise
    },
  }
}

/** Like the reader of an answer, for the only word of one. The call tells the core of a word that the table does not have. */
export function readWord<Meaning>(
  call: { noteWord?(word: UnknownWord): void },
  ...reading: [what: string, table: Readonly<Record<string, Meaning>>, word: string, otherwise: Meaning]
): Meaning {
  const reader = createWordReader()
  const meaning = reader.read(...reading)
  for (const word of reader.unknown) call.noteWord?.(word)
  return meaning
}

/** Returns the words of a text, each with the same meaning: a row of a table for each. */
export function rows<Meaning>(meaning: Meaning, words: string): [word: string, meaning: Meaning][] {
  return words
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => [word, meaning])
}
