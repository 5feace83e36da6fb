/**
 * The smallest and largest amounts that an account takes: what its provider documents, unless the account's contract says otherwise.
 * Rule: they are checked before the provider is asked.
 */
import type { AmountBounds } from '../contract/capability.ts'
import { CURRENCIES, CURRENCY_CODES } from '../contract/currencies.ts'
import { AMOUNT_MINOR_MAX, type CurrencyCode } from '../contract/fields.ts'
import type { Account } from '../providers/registry.ts'

/** The name of the setting. */
export const AMOUNT_BOUNDS = 'AMOUNT_BOUNDS'

type Written = Account['amountBounds']

/** Returns the smallest and largest amount that the account takes in a currency. */
export function boundsOf(
  { driver, amountBounds }: Pick<Account, 'driver' | 'amountBounds'>,
  currency: CurrencyCode,
): AmountBounds {
  const documented = { smallestMinor: 1, largestMinor: AMOUNT_MINOR_MAX, ...driver.amountBounds?.[currency] }
  return { ...documented, ...amountBounds[currency] }
}

const DECIMAL = String.raw`(\d{1,12}(?:\.\d{1,2})?)?`
const PART = new RegExp(`^(${CURRENCY_CODES.join('|')}) ${DECIMAL}-${DECIMAL}$`)

/** Reads the setting. Null: the text is not valid. */
export function readAmountBounds(text: string): Written | null {
  const bounds: Written = {}
  for (const part of text.split(',')) {
    const [, currency, smallest, largest] = PART.exec(part.trim()) ?? []
    const read = currency && readPart(currency as CurrencyCode, smallest, largest)
    if (!read || currency in bounds) return null
    Object.assign(bounds, { [currency]: read })
  }
  return bounds
}

function readPart(currency: CurrencyCode, smallest: string | undefined, largest: string | undefined) {
  if (smallest === undefined && largest === undefined) return null
  const [smallestMinor = 1, largestMinor = AMOUNT_MINOR_MAX] = [smallest, largest].map(
    (each) => each && minorOf(each, currency),
  ) as (number | undefined)[]
  if (smallestMinor < 1 || smallestMinor > largestMinor || largestMinor > AMOUNT_MINOR_MAX) return null
  return {
    ...(smallest !== undefined && { smallestMinor }),
    ...(largest !== undefined && { largestMinor }),
  }
}

/** Digit by digit, and never through a float. */
function minorOf(text: string, currency: CurrencyCode): number {
  const [whole = '', fraction = ''] = text.split('.')
  return Number(`${whole}${fraction.padEnd(CURRENCIES[currency].digits, '0')}`)
}
