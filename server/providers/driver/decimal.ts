/**
 * Amounts as decimal texts in whole units, with two digits, as every currency here has them. They are built from quotient and remainder, and
 * read digit by digit: nothing is computed with floating point.
 */
const DIGITS = 2
const UNIT = 10 ** DIGITS
const DECIMAL = /^(\d{1,13})(?:\.(\d{1,20}))?$/

export function decimalOf(amountMinor: number): string {
  const rest = String(amountMinor % UNIT).padStart(DIGITS, '0')
  return `${Math.trunc(amountMinor / UNIT)}.${rest}`
}

/** Returns an amount in minor units: `10`, `10.0` and `10.00` are the same. Null for any other text, and for a part of a minor unit. */
export function minorIn(text: string): number | null {
  const [, whole, rest = ''] = DECIMAL.exec(text) ?? []
  if (whole === undefined || /[^0]/.test(rest.slice(DIGITS))) return null
  return Number(whole) * UNIT + Number(rest.slice(0, DIGITS).padEnd(DIGITS, '0'))
}
