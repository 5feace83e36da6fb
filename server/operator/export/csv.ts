/** A table as CSV, which people open in a spreadsheet. */
import { stringify } from 'csv-stringify/sync'

/** With these a spreadsheet begins a formula, in every form in which a keyboard or a spreadsheet knows them. */
const STARTS = String.raw`=+@\p{Pd}\u2212\u207a\u207b\u207c\u208a\u208b\u208c\u02d7\u2795\u2796\ufe62\ufe66\ufe6b\uff0b\uff1d\uff20`
/** What a spreadsheet skips at the beginning of a cell, or takes for the mark of a text: blanks, invisible characters and quotes. */
const SKIPPED = String.raw`[\s\p{Cc}\p{Cf}\p{Pi}\p{Pf}"'\x60]*`
const FORMULA = new RegExp(`^${SKIPPED}[${STARTS}]`, 'u')
/** Wherever a spreadsheet may split the text, according to its settings, another cell begins. */
const SEPARATORS = /([,;|\t\r\n\v\f\u0085\u2028\u2029])/
/** Some spreadsheets drop these, with what stands before them. */
const FIRST_IS_BREAK = /^[\t\r\n]/
const NUMBER = /^-?\d+(\.\d+)?$/

/** Returns lines of CSV. `numbers`: the columns that hold numbers, which may begin with a minus. */
export function csvLines<Column extends string>(
  lines: Record<Column, string>[],
  columns: readonly Column[],
  numbers: readonly Column[],
): string {
  const cells = lines.map((line) =>
    columns.map((column) => {
      const isNumber = numbers.includes(column) && NUMBER.test(line[column])
      return isNumber ? line[column] : harmless(line[column])
    }),
  )
  return stringify(cells, { record_delimiter: 'windows', quoted_match: /[\r\n]/ })
}

/**
 * Returns the text with an apostrophe before everything that a spreadsheet could take for a formula, at the beginning and behind each
 * separator.
 */
function harmless(text: string): string {
  const parts = text.split(SEPARATORS).map((part) => (FORMULA.test(part) ? `'${part}` : part))
  const safe = parts.join('')
  return FIRST_IS_BREAK.test(safe) ? `'${safe}` : safe
}
