/**
 * A refund that succeeded can fail at the provider later, for example because the buyer's card is closed. Its money is then with
 * the merchant again. The operation stays succeeded, because that is how it ended. What became of it stands in its statusReason,
 * which the merchant reads, in its history and in `undoneAt`.
 */
import type { Context } from '../context.ts'
import type { Snapshot } from '../providers/driver.ts'
import type { Tx } from '../storage/db.ts'
import { listPaymentOperations, type OperationRecord } from '../storage/payments/operations.ts'
import { insertPaymentWarning } from '../storage/payments/payment-warnings.ts'
import type { PaymentRecord } from '../storage/payments/payments.ts'
import { undoRefund } from '../storage/payments/undone-refunds.ts'
import { findNamed } from './named-refund.ts'
import { noteOperation } from './operation-change.ts'

/**
 * Stores with the refunds of ours that they failed after all, if the payment's refunded sum fell. Warns an operator if nobody can
 * say which refunds these are. Runs in the transaction and under the lock of the payment's change.
 */
export async function noteFailedRefunds(
  ctx: Context,
  tx: Tx,
  before: PaymentRecord,
  after: PaymentRecord,
  named: Snapshot['refunds'],
): Promise<void> {
  const fallMinor = before.refundedMinor - after.refundedMinor
  if (fallMinor <= 0) return
  const { merchantId, id: paymentId, updatedAt: at } = after
  const ours = (await listPaymentOperations(tx, merchantId, paymentId)).filter(
    ({ type, status, undoneAt }) => type === 'refund' && status === 'succeeded' && undoneAt === null,
  )
  const failed = named ? ours.filter((each) => isFailed(named, each)) : findByAmount(ours, fallMinor)
  const detail = `on ${at.toISOString().slice(0, 10)} the provider said that this refund failed after all; the money was not returned to the buyer`
  for (const refund of failed ?? []) {
    const undone = await undoRefund(tx, refund, { at, detail })
    if (undone) await noteOperation(tx, undone, { from: 'succeeded', cause: 'provider', detail })
  }
  ctx.metrics.refundUndone()
  ctx.log.warn(
    { paymentId, fallMinor, refunds: failed?.map(({ id }) => id) },
    'refund failed after it succeeded',
  )
  if (failed) return
  const warning = `refunds of ${fallMinor} failed after all, and the provider does not say which ones`
  await insertPaymentWarning(tx, { merchantId, paymentId, detail: warning, createdAt: at })
}

function isFailed(
  named: NonNullable<Snapshot['refunds']>,
  { id: key, providerOperationId: id }: OperationRecord,
): boolean {
  return findNamed(named, { key, id })[0]?.state === 'failed'
}

/** Returns the refunds that add up to the fall, if only one choice is possible: all of them, or one. Null: nobody can tell. */
function findByAmount(ours: OperationRecord[], fallMinor: number): OperationRecord[] | null {
  if (ours.reduce((sum, { amountMinor }) => sum + (amountMinor ?? 0), 0) === fallMinor) return ours
  const fitting = ours.filter(({ amountMinor }) => amountMinor === fallMinor)
  return fitting.length === 1 ? fitting : null
}
