/** Whether whoever has proposed something may still do it, before another person grants it. */
import { mayPropose } from '../../access/roles.ts'
import type { OperatorRecord } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findUser } from '../../storage/access/users.ts'
import type { ProposalRecord } from '../../storage/audit/proposals.ts'
import type { Guarded } from './stake.ts'

/** What the person's own limit bounds in the console. */
const BOUNDED = ['payment refund', 'payment returned', 'payment void', 'payment confirm']

type Asked = { proposal: ProposalRecord; proposer: OperatorRecord | undefined; args: object }

/** Looks at role, merchant and own limit as they are now. @throws AppError validation_failed, those of the act */
export async function expectStillMay(
  ctx: Context,
  row: Guarded<object, unknown>,
  { proposal: { what, merchantId }, proposer, args }: Asked,
): Promise<void> {
  const user = proposer && (await findUser(ctx.db, proposer.id))
  const isElsewhere = user?.merchantId && user.merchantId !== merchantId
  if (!proposer || proposer.removedAt || !mayPropose(proposer, what) || isElsewhere)
    throw new AppError('validation_failed', { message: 'Whoever proposed it may not do it any more.' })
  if (!user?.refundLimits || !BOUNDED.includes(what)) return
  const { money } = await row.stake(ctx, args, proposer)
  if (money && money.amountMinor > (user.refundLimits[money.currency] ?? 0))
    throw new AppError('validation_failed', {
      message:
        'It is above the own limit of whoever proposed it. Somebody with a higher limit must propose it.',
    })
}
