/** A bank account that a shop asks for: the values of the proposal, and the account that it becomes. */
import type { CurrencyCode, ProviderRoute } from '../../contract/fields.ts'

export const BANK_ACCOUNT = 'account ask'

/** As the person has written it. Empty: not given. */
export type BankAccount = {
  merchantId: string
  currency: CurrencyCode
  recipient: string
  bank: string
  account: string
  bic: string
  days: string
}

/** Returns the settings of the driver. */
export function writtenOf({ recipient, bank, account, bic, days }: BankAccount): Record<string, string> {
  const all = { RECIPIENT: recipient, BANK: bank, ACCOUNT: account, BIC: bic, DAYS: days }
  const given = Object.entries(all).map(([name, text]) => [name, text.trim()] as const)
  return Object.fromEntries(given.filter(([, text]) => text !== ''))
}

/** Everything that whoever approves it has to compare, in one line. */
export function detailsOf(given: BankAccount): string {
  const { merchantId, currency } = given
  const { RECIPIENT, BANK, ACCOUNT, BIC, DAYS } = writtenOf(given)
  const parts = [RECIPIENT, ACCOUNT, BANK, BIC, DAYS && `${DAYS} days`].filter(Boolean)
  return `${merchantId} ${currency}: ${parts.join(', ')}`
}

export const wantedOf = (given: BankAccount) => ({
  merchantId: given.merchantId,
  route: 'manual' as ProviderRoute,
  driver: 'manual',
  currencies: [given.currency],
  written: writtenOf(given),
  keepsOthers: true,
})
