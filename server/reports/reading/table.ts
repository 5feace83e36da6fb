/** A statement as a table, whatever container it came in: its rows, and where its columns have their names. */
import { findContainer, rowsOfContainer } from './containers/container.ts'
import { csvRows, rowsOfSample, SEPARATORS, statedSeparator } from './csv.ts'
import type { Layout } from './describe.ts'
import { type Encoding, findEncodings, textOf } from './encoding.ts'
import { type Row, type StatementFile, unreadable } from './file.ts'
import { findLayout, type Names } from './layout.ts'

export type Table = {
  container: 'csv' | 'xlsx' | 'camt' | 'mt940' | 'ofx'
  encoding: Encoding | null
  /** The beginning of the file under each encoding that it may have. Empty where the file shows its encoding. */
  readings: { encoding: Encoding; text: string }[]
  separator: string | null
  layout: Layout
  /** Reads the file from its beginning, with the rows above the head. */
  rows(): AsyncGenerator<Row>
}

const SAMPLE_CHARS = 65_536
const SAMPLE_ROWS = 300
const READING_CHARS = 60

/** `encoding`: as a person has said. */
type SoughtTable = Names & { encoding?: Encoding | undefined }

/** @throws AppError validation_failed for a file of a kind that is not a statement, with what to do */
export async function openTable(file: StatementFile, sought: SoughtTable): Promise<Table> {
  const container = await findContainer(file)
  if (container === 'csv') return openCsv(file, sought)
  const rows = () => rowsOfContainer(file, container)
  const sample: Row[] = []
  for await (const row of rows()) if (sample.push(row) >= SAMPLE_ROWS) break
  const layout = findLayout(sample, sought)
  if (!layout) throw withoutTable()
  return { container, encoding: null, readings: [], separator: null, layout, rows }
}

const withoutTable = () =>
  unreadable('The file has no row with the names of its columns, and no lines.', 'statement_columns')

async function openCsv(file: StatementFile, sought: SoughtTable): Promise<Table> {
  const { isKnown, encoding: wanted } = sought
  const encodings = wanted ? [wanted] : await findEncodings(file)
  const [encoding] = encodings as [Encoding]
  const { text, isWhole } = await sampleOf(file, encoding)
  const stated = statedSeparator(text)
  const choices = (stated === null ? SEPARATORS : [stated]).flatMap((separator) => {
    const rows = rowsOfSample(text, separator, isWhole).filter(
      ({ cells, line }) => !(line === 1 && /^sep=/i.test(cells[0] ?? '')),
    )
    const layout = findLayout(rows, sought)
    return layout ? [{ separator, layout, known: isKnown(layout.names) ? 1 : 0 }] : []
  })
  // The separator with which most rows are lines. Among equal ones that with the most columns.
  const [best] = choices.sort(
    (one, other) =>
      other.known - one.known ||
      other.layout.lines - one.layout.lines ||
      other.layout.names.length - one.layout.names.length,
  )
  if (!best) throw withoutTable()
  const { separator, layout } = best
  return {
    container: 'csv',
    encoding,
    readings: encodings.length > 1 ? await readingsOf(file, encodings) : [],
    separator,
    layout,
    rows: () => csvRows(textOf(file, encoding), separator),
  }
}

async function sampleOf(
  file: StatementFile,
  encoding: Encoding,
): Promise<{ text: string; isWhole: boolean }> {
  let text = ''
  for await (const slice of textOf(file, encoding)) {
    text += slice
    if (text.length >= SAMPLE_CHARS) return { text, isWhole: false }
  }
  return { text, isWhole: true }
}

/** The first words that differ. */
async function readingsOf(file: StatementFile, encodings: readonly Encoding[]): Promise<Table['readings']> {
  const texts = await Promise.all(encodings.map(async (encoding) => (await sampleOf(file, encoding)).text))
  const at = Math.max(0, (texts[0] ?? '').search(/[^\p{ASCII}]/u))
  return encodings.map((encoding, index) => {
    const text = texts[index] ?? ''
    const from = Math.max(text.lastIndexOf('\n', at) + 1, at - READING_CHARS / 2)
    return { encoding, text: text.slice(from, from + READING_CHARS).replace(/[\r\n].*$/s, '') }
  })
}

/**
 * Checks that the lines of a text file are as wide as its head. A separator inside an amount or a text moves all cells behind it, so an
 * amount such as `12,50` would be 12. Both throw AppError validation_failed that names the line. `end`: all lines were seen.
 */
type Widths = { see(row: Row): void; end(): void }

/**
 * Cells behind the head may be empty. Where commas separate cells, an amount may have moved into the empty last column. Then they are
 * only read as some banks write them: as many behind each line, and no line looks as if an amount was cut.
 */
export function newWidths({ separator, layout: { names } }: Pick<Table, 'separator' | 'layout'>): Widths {
  const columns = names.length
  const widths = new Set<number>()
  let longer: Row | null = null
  let cut: Row | null = null
  let isLastEmpty = false
  return {
    see(row) {
      if (row.cells.slice(columns).some((cell) => cell !== '')) throw tooWide(row, columns)
      widths.add(Math.max(columns, row.cells.length))
      isLastEmpty ||= (row.cells[columns - 1] ?? '') === ''
      if (row.cells.length <= columns) return
      longer ??= row
      if (isCut(row)) cut ??= row
    },
    end() {
      const wrong = cut ?? (widths.size === 1 && isLastEmpty ? null : longer)
      if (separator === ',' && wrong) throw tooWide(wrong, columns)
    },
  }
}

/** `1234` beside `50`, or `1` beside `234.50`. */
const isCut = ({ cells }: Row) =>
  cells.some(
    (cell, at) => /^\D{0,4}\d+$/.test(cell) && /^\d{1,2}\D{0,4}$|^\d{3}(?:\D|$)/.test(cells[at + 1] ?? ''),
  )

const tooWide = ({ cells, line }: Row, columns: number) =>
  unreadable(
    `Line ${line} has ${cells.length} cells, and the table has ${columns} columns. A separator stands inside an amount or a text. Export the file with another separator, or with quotation marks.`,
    'statement_line',
    line,
  )
