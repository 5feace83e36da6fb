/**
 * The text of the QR code with which European banking apps fill in a transfer (EPC069-12, version 002). Banks show such codes on
 * invoices under several names.
 */
import { CURRENCIES } from '../../contract/currencies.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { isOneLine } from '../../contract/one-line.ts'
import type { AskedTransfer } from './transfer.ts'

const AMOUNT_MINOR_MAX = 99_999_999_999
const BYTES_MAX = 331

/**
 * Returns null where there is no such code: for other currencies, for an account without an IBAN, and for a value of several lines,
 * which an earlier version may have stored.
 */
export function qrTextOf(
  { account, reference }: Pick<AskedTransfer, 'account' | 'reference'>,
  { amountMinor, currency }: { amountMinor: number; currency: CurrencyCode },
): string | null {
  const { digits, transferCode } = CURRENCIES[currency] as { digits: number; transferCode?: string }
  if (!account?.isIban || transferCode !== 'EPC' || amountMinor > AMOUNT_MINOR_MAX) return null
  const amount = `${currency}${(amountMinor / 10 ** digits).toFixed(digits)}`
  const iban = account.number.replaceAll(' ', '')
  // Service tag, version, UTF-8, SEPA credit transfer; and after the amount no purpose and no structured reference.
  const lines = [
    'BCD',
    '002',
    '1',
    'SCT',
    account.bic ?? '',
    account.recipient,
    iban,
    amount,
    '',
    '',
    reference,
  ]
  // With a line break in a value, the lines after it would say something else.
  if (!lines.every(isOneLine)) return null
  const text = lines.join('\n')
  return Buffer.byteLength(text) <= BYTES_MAX ? text : null
}
