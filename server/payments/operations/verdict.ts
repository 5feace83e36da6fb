/** The end of a money operation: the operation, the payment, its event and what waits behind it, in one write. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import {
  findOperationById,
  type OperationRecord,
  wakeNextOperation,
} from '../../storage/payments/operations.ts'
import { lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { isMoneyOperation, OPERATION_TABLE } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { fromSnapshot } from '../provider-word.ts'
import { applyStatusIn, type Change } from '../transition.ts'

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

/** Who decided, and why. */
export type Decision = { actor: string; why: string }

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

type Tx = Parameters<typeof applyStatusIn>[1]

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

async function wake(ctx: Context, tx: Tx, { merchantId, id: paymentId }: PaymentRecord): Promise<void> {
  await wakeNextOperation(tx, { merchantId, paymentId }, ctx.clock.now())
}
