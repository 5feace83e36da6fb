/** Ends a money operation. One transaction stores the operation, the payment and its event, and wakes the next operation. */
import type { Context } from '../../context.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { type OperationRecord, wakeNextOperation } from '../../storage/payments/operations.ts'
import { lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { applyOperationIn } from '../operation-change.ts'
import { fromSnapshot } from '../provider-word.ts'
import { applyStatusIn } from '../transition.ts'

export type Verdict = {
  kind: 'succeeded' | 'failed' | 'review'
  detail?: string
  /** The provider's last answer. */
  snapshot?: Snapshot
  providerOperationId?: string | undefined
}

const STATUS = { succeeded: 'succeeded', failed: 'failed', review: 'requires_operator_review' } as const

/** Ends an operation with the outcome that the provider reported. Only if it succeeded does the payment take over the amounts. */
export async function concludeOperation(
  ctx: Context,
  operation: OperationRecord,
  verdict: Verdict,
): Promise<void> {
  const { kind, detail, snapshot, providerOperationId } = verdict
  const ended = await inTransaction(ctx.db, async (tx) => {
    const payment = await lockPayment(tx, operation.merchantId, operation.paymentId ?? '')
    const change = { to: STATUS[kind], cause: 'provider', dueAt: null, providerOperationId } as const
    const over = await applyOperationIn(ctx, tx, operation, {
      ...change,
      ...(detail !== undefined && { detail }),
    })
    if (!over || !payment) return null
    if (kind === 'succeeded' && snapshot)
      await applyStatusIn(ctx, tx, payment, {
        ...fromSnapshot(snapshot),
        cause: 'operation',
        detail: operation.id,
      })
    if (kind !== 'review') await wakeNext(ctx, tx, payment)
    return over
  })
  if (!ended) return
  const level = kind === 'review' ? 'warn' : 'info'
  ctx.log[level]({ operationId: ended.id, type: ended.type, status: ended.status, detail }, 'operation ended')
}

/** Makes the next operation that waits for this payment due. */
export async function wakeNext(
  ctx: Context,
  tx: Tx,
  { merchantId, id: paymentId }: PaymentRecord,
): Promise<void> {
  await wakeNextOperation(tx, { merchantId, paymentId }, ctx.clock.now())
}
