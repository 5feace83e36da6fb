/** A table as CSV, which people open in a spreadsheet. */
import { stringify } from 'csv-stringify/sync'

/** A spreadsheet takes a text that begins so for a formula, and may run it. Amounts are numbers of ours. */
const FORMULA = /^[\s\u200e\u200f\ufeff]*[=+\-@\t\r＝＋－＠]/

/** Returns lines of CSV. `numbers`: the columns that hold numbers, which may begin with a minus. */
export function csvLines<Column extends string>(
  lines: Record<Column, string>[],
  columns: readonly Column[],
  numbers: readonly Column[],
): string {
  const cells = lines.map((line) =>
    columns.map((column) => (numbers.includes(column) ? line[column] : harmless(line[column]))),
  )
  return stringify(cells, { record_delimiter: 'windows', quoted_match: /[\r\n]/ })
}

const harmless = (text: string) => (FORMULA.test(text) ? `'${text}` : text)
