/**
 * Amounts as PayPal writes them: decimal texts with the digits of the currency. USD and EUR have two. PayPal has no AMD.
 */
import { z } from 'zod'
import { CurrencyCode } from '../../contract/fields.ts'

const DIGITS = 2
const UNIT = 10 ** DIGITS

export const Money = z.object({
  currency_code: CurrencyCode,
  value: z.string().regex(/^\d{1,12}(\.\d{1,2})?$/),
})
export type Money = z.infer<typeof Money>

/** Computed from quotient and remainder, without floating point. */
export function moneyOf(amountMinor: number, currency: CurrencyCode): Money {
  const rest = String(amountMinor % UNIT).padStart(DIGITS, '0')
  return { currency_code: currency, value: `${Math.trunc(amountMinor / UNIT)}.${rest}` }
}

export function minorOf({ value }: { value: string; currency_code?: string }): number {
  const [whole = '', rest = ''] = value.split('.')
  return Number(whole) * UNIT + Number(rest.padEnd(DIGITS, '0'))
}

export function sumOf(amounts: readonly Money[]): number {
  return amounts.reduce((sum, each) => sum + minorOf(each), 0)
}
