/**
 * Setting an account for some currencies, while the merchant's other currencies stay where they are.
 * Rule: a currency of an own account never falls to the deployment's account because another currency was set.
 */
import { CURRENCY_CODES, type CurrencyCode } from '../contract/fields.ts'
import { type AccountRecord, updateAccountCurrencies } from '../storage/accounts/accounts.ts'
import type { Tx } from '../storage/db.ts'

/** Whether the account takes some of the currencies now. */
export function overlaps({ retiredAt, currencies }: AccountRecord, wanted: CurrencyCode[]): boolean {
  return retiredAt === null && currencies.some((each) => wanted.includes(each))
}

/** Leaves the other currencies with the accounts. Returns the accounts for which none remain. */
export async function narrow(
  tx: Tx,
  before: readonly AccountRecord[],
  wanted: CurrencyCode[],
): Promise<AccountRecord[]> {
  const replaced: AccountRecord[] = []
  for (const each of before) {
    const currencies = each.currencies.filter((code) => !wanted.includes(code))
    if (currencies.length === 0) replaced.push(each)
    else await updateAccountCurrencies(tx, { id: each.id, currencies })
  }
  return replaced
}

/**
 * Returns the wanted currencies and those that the contract has already. A retired contract blocks its currencies, so it gets them
 * back, except those that another account of the merchant takes by now.
 */
export function withKept(
  wanted: CurrencyCode[],
  same: AccountRecord | undefined,
  own: readonly AccountRecord[],
): CurrencyCode[] {
  const kept = same && !same.superseded ? same.currencies : []
  const isFree = (code: CurrencyCode) => !own.some((each) => each !== same && overlaps(each, [code]))
  return CURRENCY_CODES.filter((code) => wanted.includes(code) || (kept.includes(code) && isFree(code)))
}
