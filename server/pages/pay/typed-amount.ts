/**
 * Reads an amount as a person types it.
 * Rule: a text with two possible meanings is rejected. The meaning is never guessed.
 */
import { CURRENCIES } from '../../contract/currencies.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { isWholeUnits, parseTypedAmount } from '../../payments/money.ts'

const TYPED_MAX_CHARS = 40

/**
 * Returns the amount in minor units, or null. In a whole currency `1,500` and `1.500` can only mean 1500. In other currencies `1,500` is
 * rejected, because it may mean 1500 or 1.50.
 */
export function readTypedAmount(text: string, currency: CurrencyCode): number | null {
  if (text.length > TYPED_MAX_CHARS) return null
  try {
    const minor = parseTypedAmount(text, currency)
    return CURRENCIES[currency].isWhole && !isWholeUnits(minor, currency) ? null : minor
  } catch {
    return null
  }
}
