/** Whether whoever has proposed something may still do it, before another person grants it. */
import { mayPropose } from '../../acts/policy.ts'
import type { OperatorRecord } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findUser } from '../../storage/access/users.ts'
import type { ProposalRecord } from '../../storage/audit/proposals.ts'
import { type AnyRow, aboveOwn, boundsOn, ownIn } from './weigh.ts'

type ProposedAct = { proposal: ProposalRecord; proposer: OperatorRecord | undefined; args: object }

/**
 * Looks at role, merchant and own limits as they are now.
 * @throws AppError validation_failed; refund_limit_reached if only the day's sum is above the limit; those of the act
 */
export async function expectStillMay(
  ctx: Context,
  row: AnyRow,
  { proposal: { what, merchantId }, proposer, args }: ProposedAct,
): Promise<void> {
  const user = proposer && (await findUser(ctx.db, proposer.id))
  const isElsewhere = user?.merchantId && user.merchantId !== merchantId
  if (!proposer || proposer.removedAt || !mayPropose(proposer, what) || isElsewhere)
    throw new AppError('validation_failed', { message: 'Whoever proposed it may not do it any more.' })
  if (!row.bounded || !user) return
  const stake = await row.stake(ctx, args, proposer)
  const bounds = await boundsOn(ctx, row, stake, { id: proposer.id, isApproved: true })
  const excess = ownIn(bounds)
  if (!excess) return
  // Another day it may be below the limit, so the proposal stays open.
  if (bounds.every(({ span }) => span === 'day')) throw aboveOwn(stake, excess)
  throw new AppError('validation_failed', {
    message:
      'It is above the own limit of whoever proposed it. Somebody with a higher limit must propose it.',
  })
}
