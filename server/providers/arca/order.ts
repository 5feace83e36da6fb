/**
 * What a bank of ArCa reports about an order. The gateway `rbs` says it in these words, and Ameriabank's vPOS, which stands before the same
 * gateway, is translated into them.
 */
import type { CurrencyCode } from '../../contract/fields.ts'

/** Amounts in minor units, times in milliseconds. `currency`: three digits. What is absent was not said. */
export type BankOrder = {
  orderNumber: string
  orderStatus: number
  actionCode?: number | undefined
  amount: number
  currency?: string | undefined
  date?: string | undefined
  cardAuthInfo?:
    | { pan?: string | undefined; maskedPan?: string | undefined; approvalCode?: string | undefined }
    | undefined
  authDateTime?: string | undefined
  authRefNum?: string | undefined
  depositedDate?: string | undefined
  paymentAmountInfo?:
    | {
        approvedAmount?: number | undefined
        depositedAmount?: number | undefined
        refundedAmount?: number | undefined
      }
    | undefined
  chargeback?: boolean | undefined
}

/**
 * What is known of an order besides. `steps`: how it was opened; absent if nobody knows. `capturedMinor`: what was taken, as last seen before
 * anything was refunded. `isCharge`: of a saved card, so no buyer has its page. `isFinal`: nothing follows a decline. Elsewhere the buyer
 * may try again on the same page while the session lasts.
 */
export type OrderContext = {
  steps?: 'one' | 'two' | undefined
  capturedMinor?: number | undefined
  isCharge?: true | undefined
  isFinal: boolean
}

/** An order cannot live longer. Other banks have the same default. */
export const SESSION_SECONDS_MAX = 1_200
export const SESSION_MS = SESSION_SECONDS_MAX * 1_000

export const CURRENCIES: Readonly<Record<CurrencyCode, string>> = { AMD: '051', USD: '840', EUR: '978' }
/** Without a currency an order is in roubles. */
const ROUBLES = '643'

/** Returns the currency of an answer; null for one that no payment has. Some installations leave out the leading zero. */
export function currencyOf({ currency = ROUBLES }: Pick<BankOrder, 'currency'>): CurrencyCode | null {
  const number = currency.padStart(3, '0')
  const codes = Object.keys(CURRENCIES) as CurrencyCode[]
  return codes.find((code) => CURRENCIES[code] === number) ?? null
}

/** Returns a time of an answer; null for any other text. */
export function timeOf(text: string | undefined): Date | null {
  return text !== undefined && /^\d{12,14}$/.test(text) ? new Date(Number(text)) : null
}

/** The bank passes this many characters of number and description on. */
const PROCESSED_CHARS_MAX = 99

/** Returns what people read at the bank: the shop's own number, and what was sold. */
export function descriptionOf({
  reference,
  orderReference,
  description,
}: {
  reference: string
  orderReference: string
  description: string | null
}): string {
  return plainText(`${orderReference} ${description ?? ''}`, PROCESSED_CHARS_MAX - reference.length)
}

/** Returns a text in one line without the characters that the gateway forbids. No character is cut in two. */
export function plainText(text: string, max: number): string {
  const plain = text.replaceAll(/[%+\p{Cc}\s]+/gu, ' ').trim()
  return plain
    .slice(0, max)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim()
}
