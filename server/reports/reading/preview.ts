/** What a statement says, as it was understood. A person sees it before anything is stored. */
import type { LineKind } from '../../storage/reports/statements.ts'
import { readAmount } from '../../written/amount.ts'
import { hasTwoDays, type Skipped } from './evidence.ts'
import type { Row } from './file.ts'
import { type NamedLine, readLines, type SameId } from './read.ts'
import type { Understanding } from './understand.ts'

const FIRST = 3
const DIFFERING = 10

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
  sameIds: SameId[]
}

/** Reads all lines once. @throws AppError validation_failed for a line that cannot be read */
export async function previewOf(understanding: Understanding): Promise<Preview> {
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
    sameIds,
  }
  const sums = new Map<string, Sum>()
  for await (const line of lines) addLine(preview, sums, line, understanding)
  preview.sums = [...sums.values()]
  return preview
}

function addLine(preview: Preview, sums: Map<string, Sum>, line: NamedLine, of: Understanding): void {
  preview.lines++
  const { at, kind, amountMinor } = line
  const isFirst = preview.first.length < FIRST
  const isOther = preview.differing.length < DIFFERING && hasOtherReading(line, of)
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

/** Money that was taken has come. Of all other kinds a positive amount has gone. */
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
