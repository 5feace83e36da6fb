/** The only writer of an operation's status. A change, its line in the history and what it lets go of are one write. */
import type { Context } from '../context.ts'
import type { OperationStatus } from '../contract/operation.ts'
import type { Tx } from '../storage/db.ts'
import { insertOperationChange, type OperationChangeRecord } from '../storage/payments/operation-changes.ts'
import { lockOperation, type OperationRecord, updateOperation } from '../storage/payments/operations.ts'
import { reserveRefund } from '../storage/payments/payments.ts'
import { canOperationMove, isOver } from './operation.ts'

export type OperationChange = {
  to: OperationStatus
  cause: OperationChangeRecord['cause']
  /** For people: why. It becomes the operation's statusReason. */
  detail?: string
  actor?: string
  providerOperationId?: string | undefined
  /** When somebody is next to work on it; null when nobody is. */
  dueAt: Date | null
}

/** Answers null, having written nothing, when the operation is not where it can move from. */
export async function applyOperationIn(
  ctx: Context,
  tx: Tx,
  at: Pick<OperationRecord, 'merchantId' | 'id'>,
  change: OperationChange,
): Promise<OperationRecord | null> {
  const before = await lockOperation(tx, at)
  if (!before || !canOperationMove(before.status, change.to)) return null
  const { to, dueAt, providerOperationId, detail = null } = change
  const now = ctx.clock.now()
  const after = await updateOperation(tx, before, {
    status: to,
    statusReason: detail,
    dueAt,
    providerOperationId,
    at: now,
  })
  // A refund that is decided reserves nothing any more: it has been done, or it gives its amount back.
  if (isOver(to) && after.type === 'refund' && after.paymentId !== null)
    await reserveRefund(tx, { merchantId: after.merchantId, id: after.paymentId }, -(after.amountMinor ?? 0))
  await noteOperation(tx, after, { ...change, from: before.status })
  return after
}

/** Writes a line of an operation's history. `from: null`: it begins. */
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
