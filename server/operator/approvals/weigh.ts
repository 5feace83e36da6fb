/** Whether a person may do an act alone: the person's own limits, and those from which a second person is needed. */
import type { Context } from '../../context.ts'
import type { AppError } from '../../errors.ts'
import { limitIn, ownLimits } from '../../merchants/token-limits.ts'
import { type Bound, limitReached, readBounds, tightest } from '../../payments/return-limits.ts'
import { hasAnyLimit, listLimits } from '../../storage/audit/proposals.ts'
import { GUARDED, type GuardedName } from './guarded.ts'
import { type ActDoer, type Guarded, type Proposer, returnerBy, type Stake } from './stake.ts'

/** A row of any act. One engine weighs the values of all of them, so it knows no more of them than that they are an object. */
export type AnyRow = Guarded<object, unknown>
const ROWS: Record<GuardedName, AnyRow> & Partial<Record<string, AnyRow>> = GUARDED

/** Returns undefined for what is none of these acts, as a proposal of another version may name it. */
export function rowOf(name: GuardedName): AnyRow
export function rowOf(name: string): AnyRow | undefined
export function rowOf(name: string): AnyRow | undefined {
  return ROWS[name]
}

/** `stake`: null where nothing limits the act, and its values need not be bound. `excess`: the person's own limit, if the act is above it. */
export type Weighed = { stake: Stake<object> | null; isAbove: boolean; excess: Bound | null }

export async function weigh(
  ctx: Context,
  person: Proposer,
  name: GuardedName,
  args: object,
): Promise<Weighed> {
  const row = rowOf(name)
  const limits = await listLimits(ctx.db)
  const isLimited = row.everyWorld ? await hasAnyLimit(ctx.db) : limits.length > 0
  const counts = isLimited || (await hasOwnLimit(ctx, row, person))
  if (!counts && !row.isBound) return { stake: null, isAbove: false, excess: null }
  const stake = await row.stake(ctx, args, person)
  if (!counts) return { stake, isAbove: false, excess: null }
  const { money, isFree = false } = stake
  if (!money) return { stake, isAbove: isLimited && !isFree, excess: null }
  const bounds = await boundsOn(ctx, row, stake, { id: person.id, isApproved: false })
  const limit = limits.find(({ currency }) => currency === money.currency)
  const isAbove = limit !== undefined && money.amountMinor > limit.limitMinor
  return { stake, isAbove: isAbove || bounds.some(({ of }) => of === 'alone'), excess: ownIn(bounds) }
}

/** @throws AppError for an act that is above the person's own limit */
export function expectOwnLimit(weighed: Weighed): Weighed {
  const { stake, excess } = weighed
  if (stake && excess) throw aboveOwn(stake, excess)
  return weighed
}

async function hasOwnLimit({ db }: Context, { bounded }: AnyRow, { id }: Proposer): Promise<boolean> {
  if (bounded === undefined) return false
  const { refundLimits, refundLimitsDay } = await ownLimits(db, id)
  return refundLimits !== null || refundLimitsDay !== null
}

export const ownIn = (bounds: readonly Bound[]): Bound | null =>
  tightest(bounds.filter(({ of }) => of === 'own'))

/** Returns the limits that the act exceeds. */
export async function boundsOn(
  ctx: Context,
  { bounded }: AnyRow,
  { money, merchantId, returns }: Stake<object>,
  { id, isApproved }: Pick<ActDoer, 'id' | 'isApproved'>,
): Promise<Bound[]> {
  if (!money || bounded === undefined || merchantId === null) return []
  const { currency, amountMinor } = money
  if (bounded === 'once') {
    const limitMinor = limitIn((await ownLimits(ctx.db, id)).refundLimits, currency)
    if (limitMinor === null || limitMinor >= amountMinor) return []
    return [{ of: 'own', span: 'payment', restMinor: limitMinor }]
  }
  if (!returns) return []
  const bounds = await readBounds(ctx, returnerBy({ id, isApproved }), {
    merchantId,
    currency,
    beforeMinor: returns.beforeMinor,
  })
  return bounds.filter(({ restMinor }) => restMinor < returns.amountMinor)
}

/** The error of an act that is above the person's own limit. */
export function aboveOwn({ money }: Stake<object>, excess: Bound): AppError {
  return limitReached({ id: null, tokenId: null, isAlone: true }, excess, money?.currency ?? '')
}
