/** Amounts as Idram writes them: drams with a dot before the luma. There is no other currency. */

const UNIT = 100
/** The digits that an amount of Kassa may have, and two more. */
const AMOUNT = /^(\d{1,13})(?:\.(\d{1,2}))?$/

export const CURRENCY = 'AMD'

export function amountText(amountMinor: number): string {
  return `${Math.trunc(amountMinor / UNIT)}.${String(amountMinor % UNIT).padStart(2, '0')}`
}

/** Returns minor units; null if the text is no amount. `1900`, `1900.0` and `1900.00` are equal. */
export function minorOf(text: string): number | null {
  const [, whole, part = ''] = AMOUNT.exec(text) ?? []
  return whole === undefined ? null : Number(whole) * UNIT + Number(part.padEnd(2, '0'))
}
