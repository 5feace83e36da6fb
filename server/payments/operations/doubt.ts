/** After a restore: whether a refund may have been made already. */
import type { Context } from '../../context.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { type Account, keyLifetimeMs } from '../../providers/registry.ts'
import { listPaymentOperations, type OperationRecord } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findRefundFound } from '../../storage/restores/checks.ts'
import type { RestoreRecord } from '../../storage/restores/restores.ts'
import { isOlderThan, latestRestore, mayBeKnownAlready } from '../restored.ts'

/**
 * The database was restored from a backup, and the provider has returned money of which the database has no record. A provider that
 * names its refunds shows whether this refund was among them. For any other a person decides. Returns why; null if there is no doubt.
 */
export async function findDoubt(
  ctx: Context,
  {
    operation: { type, cause, amountMinor },
    payment,
    account,
  }: { operation: OperationRecord; payment: AttemptedPayment; account: Account },
  { refunds, refundedMinor }: Snapshot,
): Promise<string | null> {
  // A return of the service asks for everything that is left. If it was made already, the provider's amounts leave nothing to send.
  if (type !== 'refund' || cause === 'service') return null
  const restore = await latestRestore(ctx)
  if (!restore) return null
  if (account.driver.resultsByCallback?.includes('refund'))
    return findUnreported(ctx, restore, payment, account)
  if (refunds) return null
  const newsMinor = refundedMinor - (payment.refundedMinor - payment.attempt.disputeLostMinor)
  const foundMinor = isOlderThan(restore, payment)
    ? Math.max(newsMinor, (await findRefundFound(ctx.db, payment)) ?? 0)
    : await countUnexplained(ctx, payment, refundedMinor)
  if (foundMinor < (amountMinor ?? 0)) return null
  return `a backup was restored, and the provider has returned ${foundMinor} minor units that the backup did not know of: this refund may be among them, and nothing was sent`
}

/**
 * Callbacks of the provider between the backup and the restore are lost, and it does not repeat them. So a refund of that time may have
 * been made, unless the provider knows it by its key.
 */
function findUnreported(
  ctx: Context,
  restore: RestoreRecord,
  payment: AttemptedPayment,
  account: Account,
): string | null {
  const keptUntil = restore.restoredAt.getTime() + ctx.config.idempotencyTtlSeconds * 1_000
  // An order that was found at the provider, and not opened by us, may have been paid before the restore.
  const wasThere = payment.createdAt <= restore.restoredAt || payment.attempt.openedAt === null
  if (!wasThere || ctx.clock.now().getTime() > keptUntil || keyLifetimeMs(account, 'refund') > 0) return null
  return 'a backup was restored, and the provider tells refunds only once: this refund may have been made before, and nothing was sent'
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
