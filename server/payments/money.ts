/** Money is stored in whole minor units. Decimal text is parsed digit by digit and never through a float, so it stays exact. */
import { CURRENCIES } from '../contract/currencies.ts'
import { AMOUNT_MINOR_MAX, type CurrencyCode } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { readAmount } from '../written/amount.ts'

const ROWS = new Map<string, { digits: number; isWhole: boolean }>(Object.entries(CURRENCIES))

/** The currencies without decimals in ISO 4217. ICU shows others without decimals too, such as the forint, but their statements have them. */
const WITHOUT_DECIMALS = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ')

/**
 * Returns how a currency is written. `currency`: three capital letters. A newer version may have stored payments in a currency that this
 * version does not know, and statements of providers have such currencies too. They get the decimals of ISO 4217.
 */
function rowOf(currency: string): { digits: number; isWhole: boolean } {
  const known = ROWS.get(currency)
  if (known) return known
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const shown = format.resolvedOptions().maximumFractionDigits ?? 2
  const digits = shown > 0 || WITHOUT_DECIMALS.includes(currency) ? shown : 2
  const row = { digits, isWhole: false }
  ROWS.set(currency, row)
  return row
}

/** Returns the number of decimals of a currency: three capital letters. */
export const digitsOf = (currency: string): number => rowOf(currency).digits

/** The schema of the request limits the length. */
const DECIMAL = /^(\d{1,40})(?:\.(\d+))?$/

/**
 * Parses a decimal amount in major units, such as `15.00`, to minor units.
 * @throws AppError validation_failed for a sign, an exponent, spaces, too many decimals, zero, or an amount above the limit.
 */
export function parseAmount(text: string, currency: CurrencyCode): number {
  const { digits } = CURRENCIES[currency]
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === undefined) throw invalid('the amount must be written in plain digits, such as 15 or 15.00')
  if (fraction.length > digits) throw invalid(`${currency} takes at most ${digits} decimals`)
  const minor = Number(BigInt(whole) * 10n ** BigInt(digits) + BigInt(fraction.padEnd(digits, '0')))
  if (minor < 1) throw invalid('the amount must be more than zero')
  if (minor > AMOUNT_MINOR_MAX) throw invalid('the amount is larger than one payment may carry')
  return minor
}

/** One separator before three digits. It stands before thousands, or before one decimal too many. */
const LONE_GROUP = /^\D*\d{1,3}[.,]\d{3}\D*$/

/** Raised digits and fractions, such as ² and ½. */
const RAISED = /\p{No}/u

/** Both meanings of an amount that can be read in two ways, as plain decimals. */
export type TwoReadings = { first: string; second: string }

/** Returns the two meanings of the text, or null if it has one or none. */
export function twoReadings(text: string, currency: CurrencyCode): TwoReadings | null {
  const row = ROWS.get(currency)
  // Without decimals a separator can only stand between thousands. A form may name an unknown currency.
  if (!row || row.isWhole) return null
  const read = readAmount(text, { digits: row.digits })
  if (read.is !== 'ambiguous') return null
  const all = [read.byPoint, read.byComma]
  const [first = '', second = ''] = all
    .sort((one, other) => one - other)
    .map((minor) => decimalAmount(minor, currency))
  return { first, second }
}

/**
 * Parses an amount as people write it and as our pages show it: `12,50`, `1 200`, `1,234.56`, `€12.50`. The currency may stand beside
 * it. @throws AppError validation_failed, also for a text that can be read as two amounts
 */
export function parseTypedAmount(typed: string, currency: CurrencyCode): number {
  const { digits, isWhole } = CURRENCIES[currency]
  // NFKC turns digits of full width into plain ones. It would turn a raised digit or a fraction into another number.
  const text = RAISED.test(typed) ? '' : typed.normalize('NFKC')
  const unclear = twoReadings(text, currency)
  if (unclear)
    throw invalid(
      `the amount can be ${unclear.first} or ${unclear.second}: write the one that you mean in this way`,
    )
  if (!isWhole && LONE_GROUP.test(text))
    throw invalid('the amount can be read in two ways: write it with its decimals, such as 1250.00')
  const read = readAmount(text, { digits })
  if (read.is === 'unreadable') return parseAmount(text.trim(), currency)
  if (read.currencies.length > 0 && !read.currencies.includes(currency))
    throw invalid(`the amount must be in ${currency}, and names another currency`)
  const minor = read.is === 'amount' ? read.minor : Math.max(read.byPoint, read.byComma)
  if (minor < 0) throw invalid('the amount must be written without a minus')
  return parseAmount(decimalAmount(minor, currency), currency)
}

/** Parses a price in the same way. In a currency that people use without decimals, it has none. @throws AppError validation_failed */
export function parsePrice(text: string, currency: CurrencyCode): number {
  const minor = parseTypedAmount(text, currency)
  if (!CURRENCIES[currency].isWhole || isWholeUnits(minor, currency)) return minor
  const message = `Prices in ${currency} have no decimals.`
  throw new AppError('validation_failed', { reason: 'price_not_whole', message })
}

/** Returns whether an amount in minor units is a whole number of major units. */
export function isWholeUnits(minor: number | bigint, currency: CurrencyCode): boolean {
  return BigInt(minor) % 10n ** BigInt(CURRENCIES[currency].digits) === 0n
}

/** Returns minor units as exact decimal text without grouping: `1500.00`. No float is involved. */
export function decimalAmount(minor: number | bigint, currency: CurrencyCode): Intl.StringNumericLiteral {
  const { digits } = rowOf(currency)
  const sign = minor < 0 ? '-' : ''
  const text = String(minor)
    .replace('-', '')
    .padStart(digits + 1, '0')
  const point = text.length - digits
  return `${sign}${text.slice(0, point)}${digits > 0 ? '.' : ''}${text.slice(point)}` as Intl.StringNumericLiteral
}

/** Amounts in several currencies, such as `100.00 USD`, in the order in which they are stored. */
export const amountsText = (amounts: Record<string, number> | null | undefined, between = ', '): string =>
  Object.entries(amounts ?? {})
    .map(([currency, minor]) => `${decimalAmount(minor, currency as CurrencyCode)} ${currency}`)
    .join(between)

/** Returns how many decimals to show: none for a whole amount where people use none, and else all decimals of the currency. */
export function decimalsToRead(minor: number | bigint, currency: CurrencyCode) {
  const { digits, isWhole } = rowOf(currency)
  const shown = isWhole && isWholeUnits(minor, currency) ? 0 : digits
  return { minimumFractionDigits: shown, maximumFractionDigits: shown }
}

// The error does not repeat the input, because the input may be a card number in the wrong field.
function invalid(message: string): AppError {
  return new AppError('validation_failed', { message, errors: { amount: message } })
}

/** Minor units for people: `1 500.00 USD`. Whole drams have no decimals: `1 900 AMD`. A sum may be larger than a number can hold. */
export function readableAmount(amountMinor: number | bigint, currency: CurrencyCode): string {
  const format = new Intl.NumberFormat('en', decimalsToRead(amountMinor, currency))
  return `${format.format(decimalAmount(amountMinor, currency)).replaceAll(',', ' ')} ${currency}`
}
