/** An operator decides the outcome of an operation that the provider's answers leave open. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { findOperationById, type OperationRecord } from '../../storage/payments/operations.ts'
import { lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { type Decision, isMoneyOperation, OPERATION_TABLE } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { wakeNext } from '../operations/verdict.ts'
import { applyStatusIn, type Change } from '../transition.ts'

/**
 * Ends an operation that requires review. If the operator says `succeeded`, the payment gets the status and amounts that the
 * operation was to cause.
 * @throws AppError not_found; payment_not_eligible when the operation does not require review
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
    const reason = why !== null && { detail: why }
    const change = { to: as, cause: 'operator', actor, dueAt: null, ...reason } as const
    const needsReview = operation.status === 'requires_operator_review'
    const ended = needsReview ? await applyOperationIn(ctx, tx, operation, change) : null
    if (!ended)
      throw new AppError('payment_not_eligible', {
        message: `The operation ${id} is ${operation.status}. You can only resolve an operation that is requires_operator_review.`,
      })
    if (as === 'succeeded' && payment) await applyEffect(ctx, tx, ended, payment, { actor, why })
    if (payment) await wakeNext(ctx, tx, payment)
    return ended
  })
}

/**
 * Applies the operation's effect to the amounts that the provider reported before the write (`before`). So an effect that the
 * payment has already taken over since then is not counted twice.
 */
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
  const change: Change = { to, cause: 'operator', money, actor, detail: why === null ? id : `${id}: ${why}` }
  const { outcome } = await applyStatusIn(ctx, tx, payment, change)
  if (outcome === 'refused' && payment.status !== to)
    ctx.log.warn(
      { operationId: id, from: payment.status, to },
      "the operation succeeded, but the payment's status does not allow its effect",
    )
}
