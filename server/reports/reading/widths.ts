/**
 * Whether the lines of a text file are as wide as its head. A separator inside an amount or a text moves all cells behind it, so an
 * amount such as `12,50` would be 12.
 */
import { type Row, unreadable } from './file.ts'
import type { Table } from './table.ts'

/** Both throw AppError validation_failed that names the line. `end`: all lines were seen. */
export type Widths = { see(row: Row): void; end(): void }

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
