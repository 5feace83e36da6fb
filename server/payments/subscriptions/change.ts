/** The only writer of a subscription's status. The operation that created the subscription ends with its first period. */
import type { Context } from '../../context.ts'
import type { CancelReason } from '../../contract/subscription.ts'
import type { Tx } from '../../storage/db.ts'
import { type SubscriptionRecord, updateSubscription } from '../../storage/payments/subscriptions.ts'
import { applyOperationIn } from '../operation-change.ts'

type Change = Partial<
  Pick<SubscriptionRecord, 'status' | 'cancelReason' | 'cancelledAt' | 'period' | 'nextChargeAt' | 'dueAt'>
>

/**
 * Stores a change that was decided under the subscription's lock. Fields that `change` leaves out stay the same. `locked`: the
 * record as it was read under that lock.
 */
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

/** Why a subscription was never paid, as its creation's statusReason. */
const NEVER_PAID: Record<CancelReason, string> = {
  requested: 'cancelled before its first period was paid',
  retries_exhausted: 'every charge for the first period failed',
  hard_decline: 'the bank declined the first charge for good',
  token_revoked: 'the saved payment method is not active any more',
}

/** Cancels a subscription: no new charge is made. A charge that has been sent still finishes. */
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
  // If a period has been paid, the operation has already succeeded, and this changes nothing.
  await endCreation(ctx, tx, ended, NEVER_PAID[reason])
  const { id: subscriptionId } = ended
  ctx.log.info({ subscriptionId, reason }, 'subscription cancelled')
  return ended
}

/** Ends the operation that created the subscription. `problem`: why no period was paid; null when one was. */
async function endCreation(
  ctx: Context,
  tx: Tx,
  { merchantId, operationId: id }: SubscriptionRecord,
  problem: string | null,
): Promise<void> {
  const end = problem === null ? ({ to: 'succeeded' } as const) : ({ to: 'failed', detail: problem } as const)
  await applyOperationIn(ctx, tx, { merchantId, id }, { ...end, cause: 'provider', dueAt: null })
}
