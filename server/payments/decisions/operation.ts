/** An operator decides about an operation whose outcome nobody else can tell. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { findOperationById, type OperationRecord } from '../../storage/payments/operations.ts'
import { lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { type Decision, isMoneyOperation, OPERATION_TABLE } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { wake } from '../operations/verdict.ts'
import { applyStatusIn, type Change } from '../transition.ts'

/**
 * A person's word on an operation that nobody could clear. As `succeeded`, the payment takes over what was asked for.
 * @throws AppError not_found, payment_not_eligible when it is not the operator's turn
 */
export async function resolveOperation(
  ctx: Context,
  id: string,
  as: 'succeeded' | 'failed',
  { actor, why }: Decision,
): Promise<OperationRecord> {
  const operation = await findOperationById(ctx.db, id)
  if (!operation) throw new AppError('not_found', { message: `There is no operation ${id}.` })
  return inTransaction(ctx.db, async (tx) => {
    const payment = operation.paymentId
      ? await lockPayment(tx, operation.merchantId, operation.paymentId)
      : null
    const change = { to: as, cause: 'operator', actor, detail: why, dueAt: null } as const
    const waits = operation.status === 'requires_operator_review'
    const over = waits ? await applyOperationIn(ctx, tx, operation, change) : null
    if (!over)
      throw new AppError('payment_not_eligible', {
        message: `The operation ${id} is ${operation.status}; only one that requires_operator_review is resolved by hand.`,
      })
    if (as === 'succeeded' && payment) await applyEffect(ctx, tx, over, payment, { actor, why })
    if (payment) await wake(ctx, tx, payment)
    return over
  })
}

/** Counted from what the provider had before it was told: what has been seen of it since is not counted twice. */
async function applyEffect(
  ctx: Context,
  tx: Tx,
  { type, before, amountMinor, id }: OperationRecord,
  payment: PaymentRecord,
  { actor, why }: Decision,
): Promise<void> {
  if (!isMoneyOperation(type)) return
  const { authorizedMinor, capturedMinor, refundedMinor } = before as Snapshot
  const { to, money } = OPERATION_TABLE[type].effect(
    { authorizedMinor, capturedMinor, refundedMinor },
    amountMinor ?? 0,
  )
  const change: Change = { to, cause: 'operator', money, actor, detail: `${id}: ${why}` }
  const { outcome } = await applyStatusIn(ctx, tx, payment, change)
  if (outcome === 'refused' && payment.status !== to)
    ctx.log.warn({ operationId: id, from: payment.status, to }, 'the payment cannot follow the operation')
}
