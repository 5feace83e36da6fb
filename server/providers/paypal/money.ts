/**
 * Amounts as PayPal writes them: decimal texts with the digits of the currency. USD and EUR have two. PayPal has no AMD.
 */
import { z } from 'zod'
import { CurrencyCode } from '../../contract/fields.ts'
import { decimalOf, minorIn } from '../driver/decimal.ts'

export const Money = z.object({
  currency_code: CurrencyCode,
  value: z.string().regex(/^\d{1,12}(\.\d{1,2})?$/),
})
export type Money = z.infer<typeof Money>

export const moneyOf = (amountMinor: number, currency: CurrencyCode): Money => ({
  currency_code: currency,
  value: decimalOf(amountMinor),
})

export const minorOf = ({ value }: { value: string; currency_code?: string }): number =>
  minorIn(value) ?? Number.NaN

export function sumOf(amounts: readonly Money[]): number {
  return amounts.reduce((sum, each) => sum + minorOf(each), 0)
}
