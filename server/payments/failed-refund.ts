/**
 * A refund that succeeded can fail at the provider later, for example because the buyer's card is closed. Its money is then with
 * the merchant again. The operation becomes `failed`. Its statusReason, which the merchant reads, its history and `revertedAt` say
 * that it had succeeded before.
 */
import type { Context } from '../context.ts'
import type { Snapshot } from '../providers/driver.ts'
import type { Tx } from '../storage/db.ts'
import { listPaymentOperations, type OperationRecord } from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { insertNewWarning } from '../storage/payments/payment-warnings.ts'
import { findNamed, writeNameOf } from './named-refund.ts'
import { applyOperationIn } from './operation-change.ts'

/**
 * Ends the refunds of ours that failed after all as `failed`. Warns an operator if nobody can say which refunds these are. Runs in
 * the transaction and under the lock of the payment's change. `fallMinor`: by how much the sum of the refunds fell. Returns the refunds
 * that it has ended.
 */
export async function noteFailedRefunds(
  ctx: Context,
  tx: Tx,
  after: AttemptedPayment,
  fallMinor: number,
  named: Snapshot['refunds'],
): Promise<OperationRecord[]> {
  if (fallMinor <= 0) return []
  const { merchantId, id: paymentId, updatedAt: at, attempt } = after
  const ours = (await listPaymentOperations(tx, merchantId, paymentId, attempt.number)).filter(
    ({ type, status }) => type === 'refund' && status === 'succeeded',
  )
  const failed = named ? ours.filter((each) => isFailed(named, each)) : findByAmount(ours, fallMinor)
  const detail = `on ${at.toISOString().slice(0, 10)} the provider said that this refund failed after all; the money was not returned to the buyer`
  const change = { to: 'failed', cause: 'provider', isReverted: true, dueAt: null, detail } as const
  for (const refund of failed ?? []) await applyOperationIn(ctx, tx, refund, change)
  ctx.metrics.refundUndone()
  ctx.log.warn(
    { paymentId, fallMinor, refunds: failed?.map(({ id }) => id) },
    'refund failed after it succeeded',
  )
  if (failed) return failed
  const warning = `refunds of ${fallMinor} failed after all, and the provider does not say which ones`
  await insertNewWarning(tx, { merchantId, paymentId, detail: warning, createdAt: at })
  return []
}

function isFailed(named: NonNullable<Snapshot['refunds']>, operation: OperationRecord): boolean {
  return findNamed(named, writeNameOf(operation))[0]?.state === 'failed'
}

/** Returns the refunds that add up to the fall, if only one choice is possible: all of them, or one. Null: nobody can tell. */
function findByAmount(ours: OperationRecord[], fallMinor: number): OperationRecord[] | null {
  if (ours.reduce((sum, { amountMinor }) => sum + (amountMinor ?? 0), 0) === fallMinor) return ours
  const fitting = ours.filter(({ amountMinor }) => amountMinor === fallMinor)
  return fitting.length === 1 ? fitting : null
}
