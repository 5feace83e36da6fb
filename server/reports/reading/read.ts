/** Reads the lines of a statement that was understood, one after the other, and names each so that it is known again. */
import { createHash } from 'node:crypto'
import type { StatementLine } from '../../storage/reports/statements.ts'
import { newSieve } from './columns.ts'
import { addSkipped, noneSkipped, type Skipped } from './evidence.ts'
import { type Row, unreadable } from './file.ts'
import { type ReadLine, readRow } from './line.ts'
import type { SameId } from './question.ts'
import type { Understanding } from './understand.ts'

const LINES_MAX = 1_000_000

/**
 * `lineId`: the file's own id of the line, else a digest of the whole row and its number among equal rows. `ordinal`: its number
 * among lines with this id, of this kind and in this direction.
 */
export type NamedLine = Omit<ReadLine, 'id'> & StatementLine & { ordinal: number; row: Row }

type StatementReading = {
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

/** Lines without an id that are equal in every cell are numbered. */
function digestOf(names: readonly string[], { cells }: Row): string {
  const all = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))
  return createHash('sha256').update(JSON.stringify(all)).digest('base64url').slice(0, 22)
}

/**
 * Counts equal texts among a million in little memory: 14 bytes each. It keeps numbers that are made of the texts and not the texts,
 * so two different texts are taken for equal once in 20,000 files of a million lines.
 */
const FIRST_PLACES = 1_024
const FULL = 0.8
const GROWTH = 1.7
const TWO_32 = 2 ** 32

/** Returns how often the text came before, and whether something else stood beside it then. */
type Repeats = (key: string, beside: string) => { before: number; isOther: boolean }

function newRepeats(): Repeats {
  let keys = new Float64Array(FIRST_PLACES)
  let besides = new Uint32Array(FIRST_PLACES)
  let counts = new Uint16Array(FIRST_PLACES)
  let used = 0
  const placeOf = (key: number, all: Float64Array): number => {
    let place = key % all.length
    while (all[place] !== 0 && all[place] !== key) place = (place + 1) % all.length
    return place
  }
  const grow = () => {
    const length = Math.floor(keys.length * GROWTH) | 1
    const next = {
      keys: new Float64Array(length),
      besides: new Uint32Array(length),
      counts: new Uint16Array(length),
    }
    for (const [at, key] of keys.entries()) {
      if (key === 0) continue
      const place = placeOf(key, next.keys)
      next.keys[place] = key
      next.besides[place] = besides[at] as number
      next.counts[place] = counts[at] as number
    }
    ;({ keys, besides, counts } = next)
  }
  return (key, beside) => {
    if (used > keys.length * FULL) grow()
    const number = numberOf(key)
    const place = placeOf(number, keys)
    const before = counts[place] as number
    const other = halfOf(beside, 0x9e3779b9)
    const isOther = before > 0 && besides[place] !== other
    if (before === 0) {
      keys[place] = number
      besides[place] = other
      used++
    }
    counts[place] = Math.min(before + 1, 0xffff)
    return { before, isOther }
  }
}

/** A number of 52 bits, and never zero. */
function numberOf(text: string): number {
  return (halfOf(text, 0x811c9dc5) & 0xfffff) * TWO_32 + halfOf(text, 0x2545f491) + 1
}

function halfOf(text: string, seed: number): number {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
