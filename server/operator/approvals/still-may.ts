/** Whether whoever has proposed something may still do it, before another person grants it. */
import { mayPropose } from '../../access/roles.ts'
import type { OperatorRecord } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findUser } from '../../storage/access/users.ts'
import type { ProposalRecord } from '../../storage/audit/proposals.ts'
import type { Guarded } from './stake.ts'

/** What the person's own limit bounds in the console, in minor units. */
const OWN: Record<string, (args: { amountMinor?: number }, stakedMinor: number) => number> = {
  'payment refund': (_args, stakedMinor) => stakedMinor,
  'payment returned': (_args, stakedMinor) => stakedMinor,
  'payment void': (_args, stakedMinor) => stakedMinor,
  'payment confirm': ({ amountMinor }, stakedMinor) => amountMinor ?? stakedMinor,
}

type Asked = { proposal: ProposalRecord; proposer: OperatorRecord | undefined; args: object }

/** Looks at role, merchant and own limit as they are now. @throws AppError validation_failed, those of the act */
export async function expectStillMay(
  ctx: Context,
  row: Guarded<unknown, unknown>,
  { proposal: { what, merchantId }, proposer, args }: Asked,
): Promise<void> {
  const user = proposer && (await findUser(ctx.db, proposer.id))
  const isElsewhere = user?.merchantId && user.merchantId !== merchantId
  if (!proposer || proposer.removedAt || !mayPropose(proposer, what) || isElsewhere)
    throw new AppError('validation_failed', { message: 'Whoever proposed it may not do it any more.' })
  const ownOf = OWN[what]
  if (!user?.refundLimits || !ownOf) return
  const { money } = await row.stake(ctx, args, proposer)
  if (money && ownOf(args, money.amountMinor) > (user.refundLimits[money.currency] ?? 0))
    throw new AppError('validation_failed', {
      message:
        'It is above the own limit of whoever proposed it. Somebody with a higher limit must propose it.',
    })
}
