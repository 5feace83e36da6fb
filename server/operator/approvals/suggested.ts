/**
 * Limits that the set-up suggests. Without any limit one person alone may return any sum.
 * Rule: nothing is set until a person accepts it.
 */
import { listAccounts } from '../../accounts/manage.ts'
import { listDeciders } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { CURRENCIES } from '../../contract/currencies.ts'
import { CURRENCY_CODES, type CurrencyCode } from '../../contract/fields.ts'
import type { RefundLimits } from '../../storage/access/users.ts'
import { listDeclinedLimits, listLimits } from '../../storage/audit/proposals.ts'

const APPROVERS_MIN = 2

export const suggestedApproval = (currency: CurrencyCode): number =>
  CURRENCIES[currency].suggested.secondPerson

/**
 * `open`: the currencies in which the world takes payments, and nobody has set or declined a limit. `canSet`: two people can approve, so a limit can be
 * set.
 */
export type LimitSuggestion = { open: { currency: CurrencyCode; limitMinor: number }[]; canSet: boolean }

export async function suggestLimits(ctx: Context): Promise<LimitSuggestion> {
  const [accepted, limits, declined, approvers] = await Promise.all([
    currenciesOf(ctx),
    listLimits(ctx.db),
    listDeclinedLimits(ctx.db),
    listDeciders(ctx.db),
  ])
  const decided = [...limits.map(({ currency }) => currency), ...declined]
  const open = accepted.filter((each) => !decided.includes(each))
  return {
    open: open.map((currency) => ({ currency, limitMinor: suggestedApproval(currency) })),
    canSet: approvers.length >= APPROVERS_MIN,
  }
}

/** What a new person may return of one payment, and in a day. */
export async function suggestRefundLimits(ctx: Context): Promise<RefundLimits> {
  return Object.fromEntries(
    (await currenciesOf(ctx)).map((each) => [each, CURRENCIES[each].suggested.person]),
  )
}

/** The currencies of the accounts that take payments. */
async function currenciesOf(ctx: Context): Promise<CurrencyCode[]> {
  const accounts = (await listAccounts(ctx)).filter(({ retiredAt }) => retiredAt === null)
  return CURRENCY_CODES.filter((each) => accounts.some(({ currencies }) => currencies.includes(each)))
}
