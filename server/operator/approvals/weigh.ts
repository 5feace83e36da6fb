/** Whether an act needs a second person. */
import type { Person } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { hasAnyLimit, type LimitRecord, listLimits } from '../../storage/audit/proposals.ts'
import { type ArgsOf, GUARDED, type GuardedName } from './guarded.ts'
import type { Guarded, Stake } from './stake.ts'

export type AnyRow = Guarded<object, unknown>
export const rowOf = (name: string) => (GUARDED as unknown as Record<string, AnyRow>)[name]

/** Whether it is above the limit of the deployment, so that it needs a second person. @throws AppError those of the act */
export async function isAboveLimit<Name extends GuardedName>(
  ctx: Context,
  name: Name,
  args: ArgsOf<Name>,
): Promise<boolean> {
  return (await weigh(ctx, null, name, args)).isAbove
}

/** `stake`: null while the world has no limit at all. `limit`: the one in the currency of the act. */
type Weighed = { stake: Stake<object> | null; limit: LimitRecord | null; isAbove: boolean }

export async function weigh(
  ctx: Context,
  person: Person | null,
  name: GuardedName,
  args: object,
): Promise<Weighed> {
  const row = rowOf(name) as AnyRow
  const limits = await listLimits(ctx.db)
  const isLimited = row.everyWorld ? await hasAnyLimit(ctx.db) : limits.length > 0
  if (!isLimited) return { stake: null, limit: null, isAbove: false }
  const stake = await row.stake(ctx, args, person)
  const { money, isFree = false } = stake
  if (!money) return { stake, limit: null, isAbove: !isFree }
  const limit = limits.find(({ currency }) => currency === money.currency) ?? null
  return { stake, limit, isAbove: limit !== null && money.amountMinor > limit.limitMinor }
}

/** What others do at the same moment is seen only under the locks of the act, so the rule is looked at there once more. */
export function aloneIn({ addsUp }: AnyRow, limit: LimitRecord | null, args: object): object {
  // The person's own limit may be lower.
  const { totalMaxMinor = Number.POSITIVE_INFINITY } = args as { totalMaxMinor?: number }
  return addsUp && limit ? { totalMaxMinor: Math.min(limit.limitMinor, totalMaxMinor) } : {}
}
