/**
 * What a buyer may choose of a product: its amount (a donation, a deposit) or how many.
 * Rule: the registry has the limits. The choice that a page sends is only compared with them.
 */
import { CURRENCIES } from '../contract/currencies.ts'
import { AMOUNT_MINOR_MAX } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import type { ProductRecord } from '../storage/merchants/products.ts'

export const QUANTITY_MAX = 100
const SUGGESTIONS_MAX = 6

/** What a buyer has chosen. `amountMinor`: the amount of one piece. */
export type SaleTerms = { amountMinor: number; quantity: number }

type Priced = Pick<ProductRecord, 'amountMinor' | 'currency' | 'choice' | 'maxQuantity'>

/** Returns the smallest difference between two chosen amounts in this currency: one dram, or one cent. */
export function smallestStep(currency: ProductRecord['currency']): number {
  const { digits, isWhole } = CURRENCIES[currency]
  return isWhole ? 10 ** digits : 1
}

/** Returns whether the product can be sold with this choice. */
export function mayBeSold(product: Priced, { amountMinor, quantity }: SaleTerms): boolean {
  const { choice, maxQuantity = 1 } = product
  if (!Number.isSafeInteger(quantity) || quantity < 1 || quantity > maxQuantity) return false
  if (!choice) return amountMinor === product.amountMinor
  const { minMinor, maxMinor, stepMinor } = choice
  return amountMinor >= minMinor && amountMinor <= maxMinor && (amountMinor - minMinor) % stepMinor === 0
}

/** Checks the limits of a product that is about to be stored. @throws AppError validation_failed */
export function checkLimits(product: Priced): void {
  const { amountMinor, currency, choice, maxQuantity = 1 } = product
  const problem =
    (!Number.isSafeInteger(maxQuantity) || maxQuantity < 1 || maxQuantity > QUANTITY_MAX) &&
    `The greatest quantity must be a whole number from 1 to ${QUANTITY_MAX}.`
  if (problem) throw new AppError('validation_failed', { reason: 'quantity_wrong', message: problem })
  if (amountMinor * maxQuantity > AMOUNT_MINOR_MAX)
    throw new AppError('validation_failed', {
      reason: 'quantity_wrong',
      message: 'The greatest quantity costs more than one payment may carry.',
    })
  if (!choice) return
  const { minMinor, maxMinor, stepMinor, suggestedMinor } = choice
  const amounts = [minMinor, maxMinor, stepMinor, amountMinor, ...suggestedMinor]
  const faults = [
    maxQuantity > 1 && 'A product has a chosen amount or a quantity, not both.',
    minMinor > maxMinor && 'The smallest amount is larger than the greatest.',
    amounts.some((each) => each % smallestStep(currency) !== 0) && `Amounts in ${currency} must be whole.`,
    suggestedMinor.length > SUGGESTIONS_MAX && `There can be at most ${SUGGESTIONS_MAX} suggested amounts.`,
    [amountMinor, ...suggestedMinor].some(
      (each) => !mayBeSold(product, { amountMinor: each, quantity: 1 }),
    ) &&
      'The amount that is filled in, and each suggested amount, must be between the smallest and the greatest amount, in whole steps from the smallest.',
  ].filter((fault) => fault !== false)
  if (faults.length > 0)
    throw new AppError('validation_failed', { reason: 'choice_wrong', message: faults.join('\n') })
}
