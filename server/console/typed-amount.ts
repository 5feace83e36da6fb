import { CURRENCIES } from '../contract/currencies.ts'
import { CURRENCY_CODES, type CurrencyCode } from '../contract/fields.ts'
import { decimalAmount, isWholeUnits, parseTypedAmount, twoReadings } from '../payments/money.ts'
import type { RefundLimits } from '../storage/access/users.ts'

/**
 * Reads an amount as people write it and as our pages show it, such as `12,50`, `1 200` or `$1,234.56`. Returns minor units, or the key
 * of the words about what is wrong. `leftMinor`: an older payment may have a fraction where people use none, and exactly what is left of
 * it can always be moved.
 */
export function readAmount(
  text: string | undefined,
  currency: CurrencyCode,
  leftMinor?: number,
): number | 'amountWrong' | 'amountNotWhole' | 'amountUnclear' {
  try {
    const amountMinor = parseTypedAmount(text ?? '', currency)
    const isFine = !CURRENCIES[currency].isWhole || isWholeUnits(amountMinor, currency)
    return isFine || amountMinor === leftMinor ? amountMinor : 'amountNotWhole'
  } catch {
    return twoReadings(text ?? '', currency) ? 'amountUnclear' : 'amountWrong'
  }
}

/** The values of the words about a wrong amount: its currency, and both meanings of a text that has two. */
export const amountValues = (text: string | undefined, currency: CurrencyCode): Record<string, string> => ({
  currency,
  first: '',
  second: '',
  ...twoReadings(text ?? '', currency),
})

/** An amount as it stands in a field: no decimals in a currency in which people use none. */
export function typedAmount(minor: number, currency: CurrencyCode): string {
  const text = decimalAmount(minor, currency)
  return CURRENCIES[currency].isWhole ? text.replace(/\.00$/, '') : text
}

/** Returns undefined for a text that is no list of limits. An empty one is no limit. */
export function readLimits(text: string): RefundLimits | null | undefined {
  const lines = text.split('\n').flatMap((line) => line.trim() || [])
  const limits = lines.map((line) => {
    const [, amount, code] = /^(.*\d)\s*([A-Za-z]{3})$/.exec(line) ?? []
    const currency = CURRENCY_CODES.find((each) => each === code?.toUpperCase())
    return [currency, currency ? readAmount(amount, currency) : 'amountWrong'] as const
  })
  if (limits.some(([, amountMinor]) => typeof amountMinor === 'string')) return undefined
  return lines.length === 0 ? null : (Object.fromEntries(limits) as RefundLimits)
}
