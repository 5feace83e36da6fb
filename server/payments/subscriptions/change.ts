/** The only writer of a subscription's status. The operation that created it ends with its first period. */
import type { Context } from '../../context.ts'
import type { CancelReason } from '../../contract/subscription.ts'
import type { Tx } from '../../storage/db.ts'
import { type SubscriptionRecord, updateSubscription } from '../../storage/payments/subscriptions.ts'
import { applyOperationIn } from '../operation-change.ts'

type Change = Partial<
  Pick<SubscriptionRecord, 'status' | 'cancelReason' | 'cancelledAt' | 'period' | 'nextChargeAt' | 'dueAt'>
>

/** Writes what was decided under the subscription's lock; what is not named stays. `locked`: as it was read under that lock. */
export async function changeSubscriptionIn(
  ctx: Context,
  tx: Tx,
  locked: SubscriptionRecord,
  change: Change,
): Promise<SubscriptionRecord> {
  const { status, cancelReason, cancelledAt, period, nextChargeAt, dueAt } = locked
  const before = { status, cancelReason, cancelledAt, period, nextChargeAt, dueAt }
  const after = await updateSubscription(tx, locked, { ...before, ...change, at: ctx.clock.now() })
  if (locked.status === 'incomplete' && after.status === 'active') await endCreation(ctx, tx, after, null)
  return after
}

const WHY: Record<CancelReason, string> = {
  requested: 'cancelled before its first period was paid',
  retries_exhausted: 'the first period could not be charged, however often it was tried',
  hard_decline: 'the bank declined the first period for good',
  token_revoked: 'the saved payment method is not active any more',
}

/** Ends a subscription: nothing is charged any more. An attempt that is under way is left to finish. */
export async function cancelSubscriptionIn(
  ctx: Context,
  tx: Tx,
  locked: SubscriptionRecord,
  reason: CancelReason,
): Promise<SubscriptionRecord> {
  const now = ctx.clock.now()
  const ended = await changeSubscriptionIn(ctx, tx, locked, {
    status: 'cancelled',
    cancelReason: reason,
    cancelledAt: now,
    nextChargeAt: null,
    dueAt: now,
  })
  // Where a period has been paid the operation is over already, and stays as it is.
  await endCreation(ctx, tx, ended, WHY[reason])
  const { id: subscriptionId } = ended
  ctx.log.info({ subscriptionId, reason }, 'subscription cancelled')
  return ended
}

/** `problem`: why there will be no paid period; null when there is one. */
async function endCreation(
  ctx: Context,
  tx: Tx,
  { merchantId, operationId: id }: SubscriptionRecord,
  problem: string | null,
): Promise<void> {
  const end = problem === null ? ({ to: 'succeeded' } as const) : ({ to: 'failed', detail: problem } as const)
  await applyOperationIn(ctx, tx, { merchantId, id }, { ...end, cause: 'provider', dueAt: null })
}
