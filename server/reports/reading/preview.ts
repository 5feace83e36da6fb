/** The preview of a statement: how its lines were read. A person sees it before anything is stored. */
import type { LineKind } from '../../storage/reports/statements.ts'
import { readAmount } from '../../written/amount.ts'
import type { Skipped } from './evidence.ts'
import type { Row } from './file.ts'
import type { SameId } from './question.ts'
import { type NamedLine, readLines } from './read.ts'
import { hasTwoDays } from './roles.ts'
import type { Understanding } from './understand.ts'

const FIRST_SHOWN = 3
const DIFFERING_SHOWN = 10
const SAME_IDS_SHOWN = 20

/** `dayText` and `amountText`: as the file writes them. */
export type ShownLine = {
  line: number
  at: Date
  dayText: string
  amountText: string
  kind: LineKind
  currency: string
  amountMinor: number
}
export type Sum = {
  currency: string
  came: number
  cameMinor: number
  went: number
  wentMinor: number
  feeMinor: number
}

export type Preview = {
  lines: number
  /** The first lines of the file. */
  first: ShownLine[]
  /** Lines that another reading would understand in another way. */
  differing: ShownLine[]
  smallest: ShownLine | null
  largest: ShownLine | null
  earliest: Date | null
  latest: Date | null
  sums: Sum[]
  kinds: Partial<Record<LineKind, number>>
  skipped: Skipped
}
/** `sameIds`: lines that have the id of another line but another amount. A person is asked about them. */
export type ReadStatement = { preview: Preview; sameIds: SameId[] }
const PAGE = 500

/**
 * Reads all lines once. `see` also gets the lines, page by page.
 * @throws AppError validation_failed for a line that cannot be read
 */
export async function previewOf(
  understanding: Understanding,
  see: (page: NamedLine[]) => Promise<void> = async () => {},
): Promise<ReadStatement> {
  const { lines, skipped, sameIds } = readLines(understanding)
  const preview: Preview = {
    lines: 0,
    first: [],
    differing: [],
    smallest: null,
    largest: null,
    earliest: null,
    latest: null,
    sums: [],
    kinds: {},
    skipped,
  }
  const sums = new Map<string, Sum>()
  let page: NamedLine[] = []
  for await (const line of lines) {
    addLine(preview, sums, line, understanding)
    if (page.push(line) < PAGE) continue
    await see(page)
    page = []
  }
  if (page.length > 0) await see(page)
  preview.sums = [...sums.values()]
  return { preview, sameIds: sameIds.length > 0 ? await withEarlier(understanding, sameIds) : [] }
}

/** Adds the earlier lines that have the same ids. */
async function withEarlier(understanding: Understanding, sameIds: SameId[]): Promise<SameId[]> {
  const ids = new Set(sameIds.map(({ id }) => id))
  const found: SameId[] = []
  for await (const { lineId, line, amountMinor, currency } of readLines(understanding).lines)
    if (ids.has(lineId)) found.push({ id: lineId, line, amountMinor, currency })
  return found.slice(0, SAME_IDS_SHOWN)
}

function addLine(preview: Preview, sums: Map<string, Sum>, line: NamedLine, of: Understanding): void {
  preview.lines++
  const { at, kind, amountMinor } = line
  const isFirst = preview.first.length < FIRST_SHOWN
  const isOther = preview.differing.length < DIFFERING_SHOWN && hasOtherReading(line, of)
  const isSmallest = preview.smallest === null || amountMinor < preview.smallest.amountMinor
  const isLargest = preview.largest === null || amountMinor > preview.largest.amountMinor
  if (isFirst || isOther || isSmallest || isLargest) {
    const shown = shownOf(line, of)
    if (isFirst) preview.first.push(shown)
    if (isOther) preview.differing.push(shown)
    if (isSmallest) preview.smallest = shown
    if (isLargest) preview.largest = shown
  }
  if (preview.earliest === null || at < preview.earliest) preview.earliest = at
  if (preview.latest === null || at > preview.latest) preview.latest = at
  preview.kinds[kind] = (preview.kinds[kind] ?? 0) + 1
  addTo(sums, line)
}

/** Adds the line to its currency. `taken` is incoming money if its amount is positive. All other kinds are outgoing money then. */
function addTo(sums: Map<string, Sum>, { kind, currency, amountMinor, feeMinor }: NamedLine): void {
  const sum = sums.get(currency) ?? { currency, came: 0, cameMinor: 0, went: 0, wentMinor: 0, feeMinor: 0 }
  const minor = kind === 'taken' ? amountMinor : 0 - amountMinor
  if (minor >= 0) {
    sum.came++
    sum.cameMinor += minor
  } else {
    sum.went++
    sum.wentMinor -= minor
  }
  sum.feeMinor += feeMinor
  sums.set(currency, sum)
}

function textsOf(row: Row, { cells }: Understanding): { dayText: string; amountText: string } {
  const amounts = (['amount', 'debit', 'credit'] as const).map((name) => cells.of(row, name))
  return { dayText: cells.of(row, 'at'), amountText: amounts.find((text) => /[1-9]/.test(text)) ?? '' }
}

function hasOtherReading({ row }: NamedLine, of: Understanding): boolean {
  const { dayText, amountText } = textsOf(row, of)
  const isPlain = /^-?\d+([.,]\d\d?)?$/.test(amountText) || of.format.units === 'minor'
  if (!isPlain && readAmount(amountText, { digits: 2 }).is === 'ambiguous') return true
  return /^\d{1,2}[-/]\d{1,2}[-/]/.test(dayText) && hasTwoDays(dayText)
}

function shownOf(line: NamedLine, of: Understanding): ShownLine {
  const { at, kind, currency, amountMinor, row } = line
  return { line: line.line, at, ...textsOf(row, of), kind, currency, amountMinor }
}
