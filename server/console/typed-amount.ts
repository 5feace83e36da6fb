import type { CurrencyCode } from '../contract/fields.ts'
import { parseTypedAmount } from '../payments/money.ts'

/** Reads an amount as people write it, such as `12,50` or `1 200`. Returns minor units; null if it is none, or not above zero. */
export function readAmount(text: string | undefined, currency: CurrencyCode): number | null {
  try {
    const amountMinor = parseTypedAmount(text ?? '', currency)
    return amountMinor > 0 ? amountMinor : null
  } catch {
    return null
  }
}
