/** Limits of refunds as people write them: one line for each currency. */
import { CURRENCY_CODES } from '../contract/fields.ts'
import type { RefundLimits } from '../storage/access/users.ts'
import { readAmount } from './typed-amount.ts'

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
