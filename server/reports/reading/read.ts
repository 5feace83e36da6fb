/** Reads the lines of a statement that was understood, one after the other, and names each so that it is known again. */
import { createHash } from 'node:crypto'
import type { StatementLine } from '../../storage/reports/statements.ts'
import { newSieve } from './columns.ts'
import { addSkipped, noneSkipped, type Skipped } from './evidence.ts'
import { type Row, unreadable } from './file.ts'
import { type ReadLine, readRow } from './line.ts'
import type { SameId } from './question.ts'
import { newRepeats } from './repeats.ts'
import type { Understanding } from './understand.ts'

const LINES_MAX = 1_000_000

/**
 * `lineId`: the file's own id of the line, else a digest of the whole row and its number among equal rows. `ordinal`: its number
 * among lines with this id, of this kind and in this direction.
 */
export type NamedLine = Omit<ReadLine, 'id'> & StatementLine & { ordinal: number; row: Row }

export type StatementReading = {
  lines: AsyncGenerator<NamedLine>
  skipped: Skipped
  /** Filled while the lines are read. The first line with an id that came before with another amount. */
  sameIds: SameId[]
}

const SAME_IDS_SHOWN = 10

/** @throws AppError validation_failed that names the line which cannot be read */
export function readLines(understanding: Understanding): StatementReading {
  const skipped = noneSkipped()
  const sameIds: SameId[] = []
  return { lines: namedLines(understanding, skipped, sameIds), skipped, sameIds }
}

async function* namedLines(
  { table, format, cells, evidence, lastDay }: Understanding,
  skipped: Skipped,
  sameIds: SameId[],
): AsyncGenerator<NamedLine> {
  const { debits } = evidence
  const reader = { format, cells, lastDay, debitsHaveMinus: debits.minus > 0 && debits.plus === 0 }
  const whyNot = newSieve(format, table.layout, cells)
  const repeats = newRepeats()
  let count = 0
  for await (const row of table.rows()) {
    const skip = whyNot(row)
    const read = skip ? null : readRow(row, reader)
    if (!read) {
      addSkipped(skipped[skip ?? 'status'], row.line)
      continue
    }
    if (++count > LINES_MAX)
      throw unreadable(
        `A statement has at most ${LINES_MAX} lines. Split the file by month.`,
        'statement_long',
      )
    const { id, ...line } = read
    if (id === '') {
      const digest = digestOf(table.layout.names, row)
      yield { ...line, row, ordinal: 1, lineId: `${digest}-${repeats(digest, '').before + 1}` }
      continue
    }
    const { amountMinor, currency, kind } = line
    const key = `${kind} ${amountMinor < 0 ? '-' : '+'} ${id}`
    const { before, isOther } = repeats(key, `${amountMinor} ${currency}`)
    if (isOther && sameIds.length < SAME_IDS_SHOWN)
      sameIds.push({ id, line: row.line, amountMinor, currency })
    yield { ...line, row, ordinal: before + 1, lineId: id }
  }
}

/** Lines without an id that are equal in every cell are told apart by their number among each other. */
function digestOf(names: readonly string[], { cells }: Row): string {
  const all = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))
  return createHash('sha256').update(JSON.stringify(all)).digest('base64url').slice(0, 22)
}
