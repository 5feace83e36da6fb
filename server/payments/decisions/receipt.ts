/** An operator decides about a receipt that failed or is unclear. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { inTransaction } from '../../storage/db.ts'
import {
  findReceiptById,
  listReceiptsForPeople,
  RECEIPT_STATUSES,
  type ReceiptRecord,
  type ReceiptStatus,
} from '../../storage/payments/receipts.ts'
import type { Decision } from '../operation.ts'
import { isStuck } from '../receipt.ts'
import { applyReceiptIn } from '../receipt-change.ts'

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
 * be retried.
 */
export type Outcome = { as: 'issued'; number: string } | { as: 'failed' }

/**
 * Applies an operator's decision about a receipt that is stuck. A retry that waits for the receipt ends with it.
 * @throws AppError not_found; payment_not_eligible when the receipt is not stuck
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
  const resolved = isStuck(receipt)
    ? await inTransaction(ctx.db, (tx) =>
        applyReceiptIn(ctx, tx, receipt, {
          to,
          ...number,
          actor,
          ...(why !== null && { detail: why }),
          dueAt: null,
        }),
      )
    : null
  if (!resolved)
    throw new AppError('payment_not_eligible', {
      message: `The receipt ${id} is ${receipt.status}. You can only resolve a receipt that failed or is unclear.`,
    })
  return resolved
}
