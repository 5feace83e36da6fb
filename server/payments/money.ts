/** Money is stored in whole minor units. Decimal text is parsed digit by digit and never through a float, so it stays exact. */
import { AMOUNT_MINOR_MAX, type CurrencyCode } from '../contract/fields.ts'
import { AppError } from '../errors.ts'

/** How many decimals a currency has, by ISO 4217. */
export const EXPONENTS: Record<CurrencyCode, number> = { AMD: 2, USD: 2, EUR: 2 }

/** The schema of the request limits the length. */
const DECIMAL = /^(\d{1,40})(?:\.(\d+))?$/

/**
 * Parses a decimal amount in major units, such as `15.00`, to minor units.
 * @throws AppError validation_failed for a sign, an exponent, spaces, too many decimals, zero, or an amount above the limit.
 */
export function parseAmount(text: string, currency: CurrencyCode): number {
  const exponent = EXPONENTS[currency]
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === undefined) throw invalid('the amount must be written in plain digits, such as 15 or 15.00')
  if (fraction.length > exponent) throw invalid(`${currency} takes at most ${exponent} decimals`)
  const minor = Number(BigInt(whole) * 10n ** BigInt(exponent) + BigInt(fraction.padEnd(exponent, '0')))
  if (minor < 1) throw invalid('the amount must be more than zero')
  if (minor > AMOUNT_MINOR_MAX) throw invalid('the amount is larger than one payment may carry')
  return minor
}

/** Returns whether an amount in minor units is a whole number of major units. */
export function isWholeUnits(minor: number | bigint, currency: CurrencyCode): boolean {
  return BigInt(minor) % 10n ** BigInt(EXPONENTS[currency]) === 0n
}

/** Returns minor units as exact decimal text without grouping: `1500.00`. No float is involved. */
export function decimalAmount(minor: number | bigint, currency: CurrencyCode): Intl.StringNumericLiteral {
  const exponent = EXPONENTS[currency]
  const digits = String(minor).padStart(exponent + 1, '0')
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}` as Intl.StringNumericLiteral
}

/** Returns how many decimals to show: none for whole drams, and all of the currency's decimals for everything else. */
export function decimalsToRead(minor: number | bigint, currency: CurrencyCode) {
  const digits = currency === 'AMD' && isWholeUnits(minor, currency) ? 0 : EXPONENTS[currency]
  return { minimumFractionDigits: digits, maximumFractionDigits: digits }
}

// The error does not repeat the input, because the input may be a card number in the wrong field.
function invalid(message: string): AppError {
  return new AppError('validation_failed', { message, errors: { amount: message } })
}
