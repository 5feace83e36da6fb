/** The differences between statements and books that are open, and closing one by hand. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import {
  closeFinding,
  type FindingRecord,
  listOpenFindings,
  type OfStatement,
} from '../storage/reports/findings.ts'
import { expectAccount } from './account.ts'

/** What a person should do about a difference. */
export type Advice =
  /** We have no payment for this money. It belongs to another system, or we never got a report of it. */
  | 'find_its_owner'
  /** The provider has more of the payment than we. */
  | 'ask_about_payment'
  /** We have a movement that the provider does not list. */
  | 'ask_provider'
  | 'compare_amounts'
  | 'compare_currencies'
export type Finding = FindingRecord & OfStatement & { advice: Advice }

export async function listFindings(
  ctx: Context,
  accountId: string,
  { after, limit }: { after?: { foundAt: Date; id: string } | undefined; limit: number },
): Promise<{ findings: Finding[]; next: Finding | null }> {
  await expectAccount(ctx, accountId)
  const begin = { foundAt: new Date(0), id: '' }
  const found = await listOpenFindings(ctx.db, accountId, { after: after ?? begin, limit: limit + 1 })
  const findings = found.slice(0, limit).map((each) => ({ ...each, advice: adviceOf(each) }))
  return { findings, next: found.length > limit ? (findings.at(-1) ?? null) : null }
}

function adviceOf({ kind, paymentId, currency, theirCurrency }: FindingRecord): Advice {
  if (kind === 'missing_there') return 'ask_provider'
  if (kind === 'missing_here') return paymentId === null ? 'find_its_owner' : 'ask_about_payment'
  return currency === theirCurrency ? 'compare_amounts' : 'compare_currencies'
}

/** A person has settled the difference. It opens again only if its sums change. @throws AppError not_found if it is not open */
export async function closeFindingByHand(
  ctx: Context,
  { accountId, id }: { accountId: string; id: string },
  { by, why }: { by: string; why: string | null },
): Promise<void> {
  await expectAccount(ctx, accountId)
  if (await closeFinding(ctx.db, { accountId, id }, { at: ctx.clock.now(), by, why })) return
  throw new AppError('not_found', { message: `The account ${accountId} has no open difference "${id}".` })
}
