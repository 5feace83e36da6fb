/**
 * Rows of a text with separated columns. Only a few of them are in memory at a time.
 * Rule: quotation marks are read as banks write them, not only as RFC 4180 asks for: a firm's name may have some inside.
 */
import { type Row, unreadable } from './file.ts'

export const SEPARATORS = [';', '\t', '|', ','] as const

/** A row that may be longer than this is no row of a statement: a quotation mark was never closed. */
const ROW_CHARS_MAX = 65_536
/** A bank's statement has up to a hundred columns, and a text in it may have commas. */
const SEPARATORS_MAX = 2_000

const [LF, CR, QUOTE] = [10, 13, 34]
/** A cell is marked as text for Excel in this way: `="28.11.2026"`. */
const AS_TEXT = /^="([^"]*)"$/
/** Programs of DOS end a file with this sign. */
const END = '\u001a'

/** Excel writes the separator into a first line of its own: `sep=;`. */
export function statedSeparator(text: string): string | null {
  return /^"?sep=(.)"?[;,\t|]*\r?\n/i.exec(text)?.[1] ?? null
}

/** @throws AppError validation_failed with the line of a row that is too long or too wide */
export async function* csvRows(text: AsyncIterable<string>, separator: string): AsyncGenerator<Row> {
  const reader = newReader(separator)
  for await (const slice of text) yield* reader.take(slice)
  yield* reader.end()
}

/** Returns the rows of a beginning of the text, without the last one, which may be half. */
export function rowsOfSample(text: string, separator: string, isWhole: boolean): Row[] {
  const reader = newReader(separator)
  const rows = [...reader.take(text)]
  return isWhole ? [...rows, ...reader.end()] : rows
}

function newReader(separator: string) {
  const code = separator.charCodeAt(0)
  let [rest, line] = ['', 1]
  function* take(slice: string, isEnd = false): Generator<Row> {
    rest += slice
    let at = 0
    for (;;) {
      const found = at < rest.length ? rowAt(rest, at, { separator, code, isEnd, line }) : null
      if (!found) break
      yield { cells: found.cells, line }
      line += found.lines
      at = found.end
    }
    rest = rest.slice(at)
    if (rest.length > ROW_CHARS_MAX)
      throw unreadable(
        `The file cannot be read as CSV after line ${line}: a quotation mark is never closed.`,
        'statement_line',
        line,
      )
  }
  return { take, end: () => take('', true) }
}

type Found = { cells: string[]; end: number; lines: number }
type At = { separator: string; code: number; isEnd: boolean; line: number }

/** Returns null while the end of the row is not in the text yet. */
function rowAt(text: string, start: number, at: At): Found | null {
  let [end, separators, hasQuote] = [start, 0, false]
  for (; end < text.length; end++) {
    const char = text.charCodeAt(end)
    if (char === LF || char === CR) break
    if (char === QUOTE) hasQuote = true
    else if (char === at.code && ++separators > SEPARATORS_MAX)
      throw unreadable(
        `Line ${at.line} has more than ${SEPARATORS_MAX} columns, so the file is no statement.`,
        'statement_line',
        at.line,
      )
  }
  if (!isWholeLine(text, end, at.isEnd)) return null
  if (hasQuote) return quotedRowAt(text, start, at)
  const cells = text.slice(start, end).split(at.separator)
  for (let index = 0; index < cells.length; index++) cells[index] = (cells[index] as string).trim()
  if (cells.length === 1 && cells[0] === END) cells[0] = ''
  return { cells, end: afterBreak(text, end), lines: 1 }
}

/** The second half of a line break may be in the next slice. */
const isWholeLine = (text: string, end: number, isEnd: boolean) =>
  isEnd || (end < text.length && (text.charCodeAt(end) === LF || end + 1 < text.length))

function afterBreak(text: string, end: number): number {
  return text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1
}

function quotedRowAt(text: string, start: number, { separator, isEnd }: At): Found | null {
  const cells: string[] = []
  let at = start
  for (;;) {
    const cell = quotedCellAt(text, at, separator) ?? plainCellAt(text, at, separator)
    cells.push(cell.text.trim().replace(AS_TEXT, '$1'))
    at = cell.end
    if (text.startsWith(separator, at)) at++
    else break
  }
  if (!isWholeLine(text, at, isEnd)) return null
  const lines = 1 + breaksIn(text.slice(start, at))
  return { cells, end: afterBreak(text, at), lines }
}

type Cell = { text: string; end: number }
const breaksIn = (text: string) => text.match(/\r\n|\n|\r/g)?.length ?? 0

/** Returns null for a cell that does not begin with a quotation mark, or whose mark closes in the middle. */
function quotedCellAt(text: string, start: number, separator: string): Cell | null {
  let at = start
  while (text[at] === ' ') at++
  if (text.charCodeAt(at) !== QUOTE) return null
  let content = ''
  for (let from = at + 1; ; ) {
    const mark = text.indexOf('"', from)
    // It goes on in the next slice, or it is never closed.
    if (mark < 0) return { text: content + text.slice(from), end: text.length }
    content += text.slice(from, mark)
    if (text.charCodeAt(mark + 1) === QUOTE) {
      content += '"'
      from = mark + 2
      continue
    }
    let end = mark + 1
    while (text[end] === ' ') end++
    const isClosed = end >= text.length || text.startsWith(separator, end) || /[\r\n]/.test(text[end] ?? '')
    return isClosed ? { text: content, end } : null
  }
}

/** `ООО "Ромашка"`, and `"Ромашка" ООО`: the marks are a part of the text. */
function plainCellAt(text: string, start: number, separator: string): Cell {
  let end = start
  while (end < text.length && !text.startsWith(separator, end) && !/[\r\n]/.test(text[end] ?? '')) end++
  return {
    text: text
      .slice(start, end)
      .trim()
      .replace(/^"(.*)"$/, '$1'),
    end,
  }
}
