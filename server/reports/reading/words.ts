/** The few words of a column, and how the amounts beside each are signed. */
import type { Row, Seen } from './file.ts'

/** Words of a column, each with the first amount beside it that has a minus, and the first that has none. */
export type Words = Map<string, Signs>
export type Signs = { minus: Seen | null; plus: Seen | null }
/** A column with more different cells says nothing about a direction. */
const WORDS_FEW = 8
const WORD_CHARS_MAX = 40

/** `signOf`: of the amount in the row. It is only asked for a word that has not stood beside both. */
export function seeWords(
  few: Map<number, Words>,
  { cells, line }: Row,
  signOf: () => keyof Signs | null,
): void {
  for (const [at, words] of few) {
    const word = cells[at] ?? ''
    const known = words.get(word)
    if (known?.minus && known.plus) continue
    const signs = known ?? { minus: null, plus: null }
    const sign = signOf()
    if (sign) signs[sign] ??= { text: word, line }
    if (known) continue
    if (words.size >= WORDS_FEW || word.length > WORD_CHARS_MAX) few.delete(at)
    else words.set(word, signs)
  }
}
