/** A bank transfer that the buyer makes: where the money goes, what the buyer writes, until when the order is kept, and its QR code. */

import { CURRENCIES } from '../../contract/currencies.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { isOneLine } from '../../contract/one-line.ts'
import { shortNumber } from '../../id.ts'
import type { Transfer } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'

const DAY_MS = 86_400_000

/** `reference`: what the buyer writes, so that the shop can tell which payment the money is for. */
export type TransferInstructions = Pick<Transfer, 'account'> & {
  reference: string
  keptUntil: Date
  /** Null: the buyer is not reminded. */
  remindAt: Date | null
}

type Ordered = Pick<AttemptedPayment, 'id' | 'createdAt' | 'expiresAt'> & {
  attempt: Pick<AttemptedPayment['attempt'], 'begunAt'>
}

/** Returns null if the account's payments are not paid by a transfer of the buyer. */
export function transferOf(
  { driver, settings }: Pick<Account, 'driver' | 'settings'>,
  { id, createdAt, expiresAt, attempt: { begunAt } }: Ordered,
): TransferInstructions | null {
  const transfer = driver.transfer?.(settings)
  if (!transfer) return null
  const { account, keptDays, remindDays } = transfer
  // A buyer who chooses this way on our page gets as many days as one whose payment began with it.
  const chosenUntil = begunAt > createdAt ? begunAt.getTime() + keptDays * DAY_MS : 0
  const keptUntil = new Date(Math.max(expiresAt.getTime(), chosenUntil))
  const remindAt = new Date(keptUntil.getTime() - remindDays * DAY_MS)
  const isReminded = account !== null && remindDays > 0 && remindAt > begunAt
  return { account, reference: shortNumber(id), keptUntil, remindAt: isReminded ? remindAt : null }
}

/** Returns when a new payment of the account ends, in seconds; null if the account has no rule of its own. */
export function keptSecondsOf({ driver, settings }: Pick<Account, 'driver' | 'settings'>): number | null {
  const transfer = driver.transfer?.(settings)
  return transfer ? (transfer.keptDays * DAY_MS) / 1000 : null
}

const QR_AMOUNT_MINOR_MAX = 99_999_999_999
const QR_BYTES_MAX = 331

/**
 * Returns the text of the QR code with which European banking apps fill in a transfer (EPC069-12, version 002). Banks show such codes on
 * invoices under several names. Returns null where there is no such code: for other currencies, for an account without an IBAN, and for a value of several lines,
 * which an earlier version may have stored.
 */
export function qrTextOf(
  { account, reference }: Pick<TransferInstructions, 'account' | 'reference'>,
  { amountMinor, currency }: { amountMinor: number; currency: CurrencyCode },
): string | null {
  const { digits, transferCode } = CURRENCIES[currency] as { digits: number; transferCode?: string }
  if (!account?.isIban || transferCode !== 'EPC' || amountMinor > QR_AMOUNT_MINOR_MAX) return null
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
  return Buffer.byteLength(text) <= QR_BYTES_MAX ? text : null
}
