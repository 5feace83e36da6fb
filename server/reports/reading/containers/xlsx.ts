/**
 * The sheet of a workbook (XLSX) that has a table, as rows. A cell of a number is written with a point before its decimals, and never with three
 * of them, so that it is no question. A day is written as in ISO 8601.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { unzipSync } from 'fflate'
import { beginningOf, type Row, type StatementFile, unreadable } from '../file.ts'
import { newXmlReader } from './xml.ts'

const FILE_BYTES_MAX = 20_000_000
/** A packed file can grow a thousandfold. A sheet of a million lines does not fit in this, and comes as CSV. */
const UNPACKED_BYTES_MAX = 100_000_000
const SLICE_BYTES = 65_536
const COLUMNS_MAX = 500
const PARTS = /^xl\/(?:sharedStrings|styles|workbook)\.xml$|^xl\/worksheets\/sheet\d+\.xml$/
const DAY_MS = 86_400_000
/** Days are counted from here, because a year in the first program had a day too many. Some workbooks of a Mac count from 1904. */
const FIRST_DAY_MS = Date.UTC(1899, 11, 30)
const FIRST_DAY_1904_MS = Date.UTC(1904, 0, 1)
const DAY_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])

export async function* xlsxRows(file: StatementFile): AsyncGenerator<Row> {
  const parts = unpack(await beginningOf(file, FILE_BYTES_MAX + 1))
  const sheets = Object.keys(parts)
    .filter((name) => name.startsWith('xl/worksheets/'))
    .sort((one, other) => one.length - other.length || one.localeCompare(other))
  const texts = await textsOf(parts['xl/sharedStrings.xml'])
  const days = await dayStylesOf(parts['xl/styles.xml'])
  const firstDayMs = (await countsFrom1904(parts['xl/workbook.xml'])) ? FIRST_DAY_1904_MS : FIRST_DAY_MS
  const facts = { texts, days, firstDayMs }
  const bytes = sheets.flatMap((name) => parts[name] ?? [])
  const [first, ...others] = bytes
  if (!first) throw unreadable('The file is packed, and no workbook (XLSX).', 'statement_kind')
  yield* sheetRows(others.length === 0 ? first : await theTable(bytes, facts), facts)
}

const TABLE_COLUMNS = 3
const TABLE_ROWS = 2

/** A workbook may have sheets with remarks. Two sheets with tables may be two accounts. @throws AppError validation_failed */
async function theTable(sheets: readonly Uint8Array[], facts: Facts): Promise<Uint8Array> {
  const tables: Uint8Array[] = []
  for (const sheet of sheets) {
    let wide = 0
    for await (const { cells } of sheetRows(sheet, facts))
      if (cells.filter((cell) => cell !== '').length >= TABLE_COLUMNS && ++wide >= TABLE_ROWS) break
    if (wide >= TABLE_ROWS) tables.push(sheet)
  }
  if (tables.length < 2) return tables[0] ?? (sheets[0] as Uint8Array)
  throw unreadable(
    `The workbook has ${tables.length} sheets with tables. Save the one with the statement as a file of its own.`,
    'statement_kind',
  )
}

async function countsFrom1904(bytes: Uint8Array | undefined): Promise<boolean> {
  let found = false
  await parse(bytes, {
    open(path, { date1904 = '0' }) {
      if (path.at(-1) === 'workbookPr') found = ['1', 'true'].includes(date1904)
    },
  })
  return found
}

function unpack(bytes: Buffer): Record<string, Uint8Array> {
  const long = () => unreadable('The workbook is too large. Save it as CSV.', 'statement_long')
  if (bytes.length > FILE_BYTES_MAX) throw long()
  let unpacked = 0
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!PARTS.test(name)) return false
        unpacked += originalSize
        if (unpacked > UNPACKED_BYTES_MAX) throw long()
        return true
      },
    })
  } catch (error) {
    if (error instanceof Error && 'details' in error) throw error
    throw unreadable('The workbook cannot be unpacked. Save it again, or as CSV.', 'statement_kind')
  }
}

async function parse(
  bytes: Uint8Array | undefined,
  handlers: Parameters<typeof newXmlReader>[0],
): Promise<void> {
  if (!bytes) return
  const reader = newXmlReader(handlers)
  const decoder = new TextDecoder()
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    reader.write(decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream: true }))
    await nextTurn()
  }
  reader.end()
}

async function textsOf(bytes: Uint8Array | undefined): Promise<string[]> {
  const texts: string[] = []
  await parse(bytes, {
    open: (path) => path.at(-1) === 'si' && texts.push(''),
    close(path, text) {
      if (path.at(-1) === 't' && !path.includes('rPh')) texts[texts.length - 1] += text
    },
  })
  return texts
}

/** Returns the numbers of the styles that show a number as a day. */
async function dayStylesOf(bytes: Uint8Array | undefined): Promise<Set<number>> {
  const own = new Set<number>()
  const styles = new Set<number>()
  let count = 0
  await parse(bytes, {
    open(path, { numFmtId = '0', formatCode = '' }) {
      const id = Number(numFmtId)
      if (path.at(-1) === 'numFmt' && /[dy]|h:/i.test(formatCode.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '')))
        own.add(id)
      if (path.at(-1) !== 'xf' || path.at(-2) !== 'cellXfs') return
      if (DAY_FORMATS.has(id) || own.has(id)) styles.add(count)
      count++
    },
  })
  return styles
}

type Facts = { texts: readonly string[]; days: ReadonlySet<number>; firstDayMs: number }

async function* sheetRows(bytes: Uint8Array, facts: Facts): AsyncGenerator<Row> {
  const rows: Row[] = []
  let row: Row = { cells: [], line: 0 }
  let [column, kind, style, value] = [0, '', -1, '']
  const reader = newXmlReader({
    open(path, { r = '', t = 'n', s = '-1' }) {
      if (path.at(-1) === 'row') row = { cells: [], line: Number(r) || row.line + 1 }
      if (path.at(-1) !== 'c') return
      column = r === '' ? row.cells.length : columnOf(r)
      ;[kind, style, value] = [t, Number(s), '']
    },
    close(path, text) {
      const name = path.at(-1)
      if (name === 'v' || name === 't') value += text
      else if (name === 'c' && column < COLUMNS_MAX) {
        while (row.cells.length < column) row.cells.push('')
        row.cells[column] = cellOf(value, { kind, isDay: facts.days.has(style), facts })
      } else if (name === 'row') rows.push(row)
    },
  })
  const decoder = new TextDecoder()
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    reader.write(decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream: true }))
    yield* rows.splice(0)
    await nextTurn()
  }
  reader.end()
  yield* rows
}

/** `AB12` is in column 27, counted from 0. */
function columnOf(place: string): number {
  let column = 0
  for (const letter of /^[A-Z]+/.exec(place)?.[0] ?? 'A') column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

function cellOf(
  value: string,
  { kind, isDay, facts }: { kind: string; isDay: boolean; facts: Facts },
): string {
  if (kind === 's') return (facts.texts[Number(value)] ?? '').trim()
  const number = Number(value)
  if (kind !== 'n' || value === '' || !Number.isFinite(number)) return value.trim()
  if (isDay) {
    const text = new Date(facts.firstDayMs + Math.round(number * DAY_MS)).toISOString()
    // A number of days is a day. A number below one is a time of day, which may have a column of its own.
    if (number < 1) return text.slice(11, 19)
    return Number.isInteger(number) ? text.slice(0, 10) : text.slice(0, 19)
  }
  const text = Number.isInteger(number) ? String(number) : String(Number(number.toFixed(6)))
  return /\.\d{3}$/.test(text) ? `${text}0` : text
}
