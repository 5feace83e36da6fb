import { CURRENCIES } from '../contract/currencies.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import { isWholeUnits, parseTypedAmount } from '../payments/money.ts'

/**
 * Reads an amount as people write it, such as `12,50` or `1 200`. Returns minor units, or the key of the words about what is wrong.
 * `leftMinor`: an older payment may have a fraction where people use none, and exactly what is left of it can always be moved.
 */
export function readAmount(
  text: string | undefined,
  currency: CurrencyCode,
  leftMinor?: number,
): number | 'amountWrong' | 'amountNotWhole' {
  try {
    const amountMinor = parseTypedAmount(text ?? '', currency)
    const isFine = !CURRENCIES[currency].isWhole || isWholeUnits(amountMinor, currency)
    return isFine || amountMinor === leftMinor ? amountMinor : 'amountNotWhole'
  } catch {
    return 'amountWrong'
  }
}
