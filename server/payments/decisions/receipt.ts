/** An operator decides about a receipt that failed or is unclear, or whose refund failed after it was printed. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { findPayment, lockPayment } from '../../storage/payments/payments.ts'
import {
  findReceiptById,
  listReceipts,
  listReceiptsForPeople,
  RECEIPT_STATUSES,
  type ReceiptRecord,
  type ReceiptStatus,
} from '../../storage/payments/receipts.ts'
import type { Decision } from '../operation.ts'
import { excessOf, isStuck, returnedOf } from '../receipt.ts'
import { applyReceiptIn, type ReceiptChange } from '../receipt-change.ts'

export { RECEIPT_STATUSES }

/** Lists receipts: those that need a decision first, then the newest. @throws AppError not_found for an unknown merchant */
export async function listReceiptsToResolve(
  ctx: Context,
  {
    merchantId,
    status,
    limit,
  }: { merchantId?: string | undefined; status?: ReceiptStatus | undefined; limit: number },
): Promise<ReceiptRecord[]> {
  if (merchantId !== undefined) await getMerchant(ctx, merchantId)
  return listReceiptsForPeople(ctx.db, { merchantId: merchantId ?? null, status: status ?? null, limit })
}

/**
 * `issued`: the receipt was printed under `number`, at this register or by hand. `failed`: it was certainly not printed, so it can
 * be retried. `cancelled`: the refund failed after all, and the operator has corrected its printed receipt at the register.
 */
export type Outcome = { as: 'issued'; number: string } | { as: 'failed' | 'cancelled' }

/**
 * Applies an operator's decision about a receipt. A retry that waits for the receipt ends with it.
 * @throws AppError not_found; payment_not_eligible when nothing is to be decided about the receipt
 */
export async function resolveReceipt(
  ctx: Context,
  id: string,
  outcome: Outcome,
  { actor, why }: Decision,
): Promise<ReceiptRecord> {
  const receipt = await findReceiptById(ctx.db, id)
  if (!receipt) throw new AppError('not_found', { message: `There is no receipt ${id}.` })
  const { as: to, ...number } = outcome
  const isOpen = to === 'cancelled' ? await isToCorrect(ctx, receipt) : isStuck(receipt)
  const change = { to, ...number, actor, ...(why !== null && { detail: why }), dueAt: null }
  const resolved = isOpen && (await inTransaction(ctx.db, (tx) => applyUnlessMoved(ctx, tx, receipt, change)))
  if (resolved) return resolved
  const { status } = (await findReceiptById(ctx.db, id)) ?? receipt
  throw new AppError('payment_not_eligible', {
    message: `The receipt ${id} is ${status}${isOpen ? ' now, because it has changed in the meantime' : ''}. You can only resolve a receipt that failed or is unclear, and cancel an issued receipt of a refund that failed after all.`,
  })
}

/** Returns null, and writes nothing, when the receipt is not as it was seen. */
async function applyUnlessMoved(
  ctx: Context,
  tx: Tx,
  seen: ReceiptRecord,
  change: ReceiptChange,
): Promise<ReceiptRecord | null> {
  // Every change of a receipt is made under the lock of its payment.
  await lockPayment(tx, seen.merchantId, seen.paymentId)
  const now = await findReceiptById(tx, seen.id)
  if (now?.status !== seen.status || now.updatedAt.getTime() !== seen.updatedAt.getTime()) return null
  return applyReceiptIn(ctx, tx, seen, change)
}

/** Returns whether it is the issued receipt of a refund, and more was printed for the payment's refunds than was returned. */
async function isToCorrect(
  ctx: Context,
  { merchantId, paymentId, kind, status }: ReceiptRecord,
): Promise<boolean> {
  const payment = await findPayment(ctx.db, merchantId, paymentId)
  const receipts = await listReceipts(ctx.db, merchantId, paymentId)
  const [sale] = receipts
  if (!payment || !sale || kind !== 'refund' || status !== 'issued') return false
  return excessOf(receipts, returnedOf(sale, payment)) > 0
}
