/** The end of a money operation: the operation, the payment, its event and what waits behind it, in one write. */
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
  /** What the provider said last. */
  snapshot?: Snapshot
  providerOperationId?: string | undefined
}

const STATUS = { succeeded: 'succeeded', failed: 'failed', review: 'requires_operator_review' } as const

/** Ends an operation by the provider's word. The payment takes over the provider's amounts only where it did it. */
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
    if (kind !== 'review') await wake(ctx, tx, payment)
    return over
  })
  if (!ended) return
  const level = kind === 'review' ? 'warn' : 'info'
  ctx.log[level]({ operationId: ended.id, type: ended.type, status: ended.status, detail }, 'operation')
}

/** The next operation that waits for this payment begins. */
export async function wake(
  ctx: Context,
  tx: Tx,
  { merchantId, id: paymentId }: PaymentRecord,
): Promise<void> {
  await wakeNextOperation(tx, { merchantId, paymentId }, ctx.clock.now())
}
