/** What a bank writes above the table about all lines of it. */
import { currenciesNamed, onlyCurrency } from '../../written/currency.ts'
import type { Row } from './file.ts'

const LABEL = /currency|\bccy\b|валюта|արժույթ|währung|waluta|valiuta|devise|moneda|divisa/i

/** Returns the currency that stands beside its label: `Account currency;USD`, `Валюта счета: AMD`. Of several none. */
export function currencyAbove(rows: readonly Row[], headLine: number): string | undefined {
  const codes = rows
    .filter(({ line, cells }) => line < headLine && cells.some((cell) => LABEL.test(cell)))
    .flatMap(({ cells }) => cells.flatMap((cell) => cell.split(/[\s:;,()]+/)))
    .filter((word) => !LABEL.test(word))
    .flatMap((word) => onlyCurrency(currenciesNamed(word)) ?? [])
  const [only, ...others] = new Set(codes)
  return others.length === 0 ? only : undefined
}
