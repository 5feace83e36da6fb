/** After a restore: whether a refund may have been made already. */
import type { Context } from '../../context.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { listPaymentOperations, type OperationRecord } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findRefundFound } from '../../storage/restores/checks.ts'
import { isOlderThan, latestRestore, mayBeKnownAlready } from '../restored.ts'

/**
 * The books were restored from a backup, and the provider has returned money that they did not know of. A provider that names its
 * refunds shows whether this refund was among them. For any other a person decides. Returns why; null if there is no doubt.
 */
export async function findDoubt(
  ctx: Context,
  {
    operation: { type, cause, amountMinor },
    payment,
  }: { operation: OperationRecord; payment: AttemptedPayment },
  { refunds, refundedMinor }: Snapshot,
): Promise<string | null> {
  // A return of the service asks for everything that is left. If it was made already, the provider's amounts leave nothing to send.
  if (type !== 'refund' || cause === 'service' || refunds) return null
  const restore = await latestRestore(ctx)
  if (!restore) return null
  const newsMinor = refundedMinor - (payment.refundedMinor - payment.attempt.disputeLostMinor)
  const foundMinor = isOlderThan(restore, payment)
    ? Math.max(newsMinor, (await findRefundFound(ctx.db, payment)) ?? 0)
    : await countUnexplained(ctx, payment, refundedMinor)
  if (foundMinor < (amountMinor ?? 0)) return null
  return `a backup was restored, and the provider has returned ${foundMinor} minor units that the backup did not know of: this refund may be among them, and nothing was sent`
}

/** Returns how much of an order that was found again was refunded before the restore. */
async function countUnexplained(
  ctx: Context,
  payment: AttemptedPayment,
  refundedMinor: number,
): Promise<number> {
  if (!(await mayBeKnownAlready(ctx, payment.createdAt))) return 0
  const { merchantId, id, attempt } = payment
  const operations = await listPaymentOperations(ctx.db, merchantId, id, attempt.number)
  const ours = operations.filter(({ type, status }) => type === 'refund' && status === 'succeeded')
  return ours.reduce((left, { amountMinor }) => left - (amountMinor ?? 0), refundedMinor)
}
