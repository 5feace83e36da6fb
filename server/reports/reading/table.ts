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
  /** Reads the file from its beginning, with what stands above the head. */
  rows(): AsyncGenerator<Row>
}

const SAMPLE_CHARS = 65_536
const SAMPLE_ROWS = 300
const READING_CHARS = 60

/** `encoding`: as a person has said. */
type SoughtTable = Names & { encoding?: Encoding | undefined }

/** @throws AppError validation_failed for a file of a kind that is no statement, with what to do */
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
