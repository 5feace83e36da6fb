/** The few words of a column, and how the amounts beside each are signed. */
import type { Layout } from './describe.ts'
import type { Row, SeenText } from './file.ts'
import type { StatementFormat } from './format.ts'

/** Words of a column, each with the first amount beside it that has a minus, and the first that has none. */
export type Words = Map<string, Signs>
export type Signs = { minus: SeenText | null; plus: SeenText | null }
/** A column with more different cells, or with a longer one, cannot be a column of directions. */
const WORDS_FEW = 8
const WORD_CHARS_MAX = 40
/** The limits for a column that shows the status of money. */
export const WORDS_KEPT = 50
const WORD_CHARS_KEPT = 100

/** The name of a column whose words only mark reversals. */
export const REVERSAL_NAME = /storno|сторно|revers(?!e charge)|отмен|չեղ/i

/** A word as it is asked about and answered. */
export const wordOf = (cell: string) => cell.slice(0, WORD_CHARS_KEPT)

/** The places of the columns that say what became of money. Their words are kept, because one that is missed may be a return. */
export function meaningfulColumns({ names, roles }: Layout, { columns }: StatementFormat): Set<number> {
  const places = [...names.keys()].filter((at) => {
    const name = names[at] ?? ''
    return (
      at === roles.kind ||
      at === roles.direction ||
      name === columns.kind ||
      name === columns.direction ||
      REVERSAL_NAME.test(name)
    )
  })
  return new Set(places)
}

/** `sign`: of the amount in the row. */
export function seeWords(
  few: Map<number, Words>,
  { cells, line }: Row,
  { sign, kept }: { sign: keyof Signs | null; kept: ReadonlySet<number> },
): void {
  for (const [at, words] of few) {
    const isKept = kept.has(at)
    const cell = cells[at] ?? ''
    const word = isKept ? wordOf(cell) : cell
    const known = words.get(word)
    const isTooMuch =
      words.size >= (isKept ? WORDS_KEPT : WORDS_FEW) || (!isKept && word.length > WORD_CHARS_MAX)
    if (!known && isTooMuch) {
      if (!isKept) few.delete(at)
      continue
    }
    const signs = known ?? { minus: null, plus: null }
    if (sign) signs[sign] ??= { text: word, line }
    if (!known) words.set(word, signs)
  }
}
