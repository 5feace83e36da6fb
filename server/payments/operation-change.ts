/**
 * The only writer of an operation's status. One transaction stores the new status and its line in the history, and releases the
 * amount that an ended refund had reserved.
 */
import type { Context } from '../context.ts'
import type { OperationStatus } from '../contract/operation.ts'
import type { Tx } from '../storage/db.ts'
import { insertOperationChange, type OperationChangeRecord } from '../storage/payments/operation-changes.ts'
import { lockOperation, type OperationRecord, updateOperation } from '../storage/payments/operations.ts'
import { reserveRefund } from '../storage/payments/payments.ts'
import { releaseReturned } from '../storage/returns/returned-sums.ts'
import { canOperationMove, isEnded } from './operation.ts'

export type OperationChange = {
  to: OperationStatus
  cause: OperationChangeRecord['cause']
  /** Why, for people. It becomes the operation's statusReason, which the merchant reads. */
  detail?: string
  actor?: string
  providerOperationId?: string | undefined
  /** Only for a refund that succeeded and failed after all. Without it an operation that succeeded never changes. */
  isReverted?: true
  /** When a worker takes up the operation next; null when none will. */
  dueAt: Date | null
}

/** Returns null, and writes nothing, when the operation's current status does not allow the change. */
export async function applyOperationIn(
  ctx: Context,
  tx: Tx,
  at: Pick<OperationRecord, 'merchantId' | 'id'>,
  change: OperationChange,
): Promise<OperationRecord | null> {
  const before = await lockOperation(tx, at)
  const { to, dueAt, providerOperationId, detail = null, isReverted = false } = change
  if (!before || !canOperationMove(before.status, to)) return null
  if ((before.status === 'succeeded') !== isReverted) return null
  const now = ctx.clock.now()
  const after = await updateOperation(tx, before, {
    status: to,
    statusReason: detail,
    dueAt,
    providerOperationId,
    at: now,
    revertedAt: isReverted ? now : null,
  })
  // An ended refund reserves nothing any more. Either the money went back, or the amount can be refunded again. A return of the
  // service has reserved nothing, because its money is outside the payment's sums.
  const { type, cause, paymentId } = after
  if (isEnded(to) && !isReverted && type === 'refund' && cause === 'request' && paymentId !== null)
    await reserveRefund(tx, { merchantId: after.merchantId, id: paymentId }, -(after.amountMinor ?? 0))
  // A failed return no longer counts against the limits of the person or token that asked for it.
  if (to === 'failed' && after.counted && after.currency)
    await releaseReturned(tx, after.currency, after.counted)
  await noteOperation(tx, after, { ...change, from: before.status })
  return after
}

/** Writes a line of an operation's history. `from: null`: the operation is new. */
export async function noteOperation(
  tx: Tx,
  { merchantId, id, status, updatedAt }: OperationRecord,
  noted: Pick<OperationChange, 'cause' | 'detail' | 'actor'> & { from: OperationStatus | null },
): Promise<void> {
  const { from: fromStatus, cause, actor = null, detail = null } = noted
  await insertOperationChange(tx, {
    merchantId,
    operationId: id,
    fromStatus,
    toStatus: status,
    cause,
    actor,
    detail,
    createdAt: updatedAt,
  })
}
