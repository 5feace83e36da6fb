/** What people may see of a card. */
import type { SavedCard } from '../../contract/payment-method-token.ts'

/** The first digit of a card number names the scheme of most cards. */
const BRANDS: Readonly<Record<string, string>> = {
  2: 'mastercard',
  3: 'amex',
  4: 'visa',
  5: 'mastercard',
  9: 'arca',
}

/** Returns what people may see of a masked card number, as `411111**1111`. */
export function cardIn(masked: string | undefined): { brand: string; last4: string } | null {
  const last4 = /(\d{4})$/.exec(masked ?? '')?.[1]
  return last4 === undefined ? null : { brand: BRANDS[masked?.[0] ?? ''] ?? 'card', last4 }
}

/** `expiry`: `YYYYMM`, or nothing. Returns null for a number that shows no digits. */
export function savedCardOf(masked: string | undefined, expiry: string | undefined): SavedCard | null {
  const card = cardIn(masked)
  const [, year, month] = /^(\d{4})(\d{2})$/.exec(expiry ?? '') ?? []
  return card && { ...card, ...(year !== undefined && { expiry: `${year}-${month}` }) }
}
