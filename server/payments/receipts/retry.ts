/** A receipt that failed is printed again because the merchant asks for it. */
import type { Context } from '../../context.ts'
import type { OperationResponse } from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import type { Tx } from '../../storage/db.ts'
import { listOpenOperations, type OperationRecord } from '../../storage/payments/operations.ts'
import { findPayment, lockPayment } from '../../storage/payments/payments.ts'
import { listReceipts, type ReceiptRecord } from '../../storage/payments/receipts.ts'
import { fingerprint } from '../idempotency.ts'
import { applyOperationIn } from '../operation-change.ts'
import { presentRequested, requestOperation, rereadOperation } from '../operation-request.ts'
import { isStuck } from '../receipt.ts'
import { applyReceiptIn } from '../receipt-change.ts'

export type FiscalRetryRequest = { merchantId: string; paymentId: string; idempotencyKey: string }

/**
 * Takes up the payment's first receipt that failed or is unclear: the sale's, then the refunds'. The operation ends with it.
 * @throws AppError payment_not_found, operation_disabled, operation_not_configured, fiscalization_disabled,
 *   receipt_already_issued, payment_not_eligible, idempotency_key_reused
 */
export async function requestFiscalRetry(
  ctx: Context,
  { merchantId, paymentId, idempotencyKey: key }: FiscalRetryRequest,
): Promise<OperationResponse> {
  const payment = await findPayment(ctx.db, merchantId, paymentId)
  if (!payment) throw new AppError('payment_not_found')
  const scope = `POST /v1/fiscal-receipts/${paymentId}/retry`
  const claim = { merchantId, scope, key, fingerprint: fingerprint({}) }
  const { provider, currency } = payment
  const draft = { type: 'fiscal_retry', provider, paymentId, currency } as const
  const requested = await requestOperation(ctx, claim, draft, (tx, operation) => accept(ctx, tx, operation))
  // By now it is under way.
  const operation = await rereadOperation(ctx, requested.operation)
  return presentRequested(ctx, { ...requested, operation }, payment)
}

async function accept(ctx: Context, tx: Tx, operation: OperationRecord): Promise<void> {
  const { merchantId, id: operationId } = operation
  const payment = await lockPayment(tx, merchantId, operation.paymentId ?? '')
  if (!payment) throw new AppError('payment_not_found')
  const receipts = await listReceipts(tx, merchantId, payment.id)
  const stuck = receipts.find(isStuck)
  if (!stuck) throw refusal(payment.capturedMinor > 0, receipts)
  await giveUpReview(ctx, tx, stuck, operation)
  const now = ctx.clock.now()
  const to = stuck.status === 'failed' ? 'waiting' : 'printing'
  const change = { to, operationId, attempts: 0, dueAt: now, detail: `asked for by ${operationId}` } as const
  await applyReceiptIn(ctx, tx, stuck, change)
  // From here on the receipt is what is due.
  await applyOperationIn(ctx, tx, operation, { to: 'processing', cause: 'request', dueAt: null })
}

/** Why there is nothing to be taken up. */
function refusal(isPaid: boolean, receipts: ReceiptRecord[]): AppError {
  if (!isPaid)
    return new AppError('payment_not_eligible', {
      message: 'No money has been taken, so there is no receipt yet.',
    })
  if (receipts.length === 0) return new AppError('fiscalization_disabled')
  if (receipts[0]?.status === 'issued') return new AppError('receipt_already_issued')
  return new AppError('payment_not_eligible', {
    message: 'The receipt has not failed: it is still to be printed, by itself.',
  })
}

/** An earlier retry that nobody could clear ends here: this one asks again. */
async function giveUpReview(
  ctx: Context,
  tx: Tx,
  { operationId }: ReceiptRecord,
  { merchantId, paymentId, id }: OperationRecord,
): Promise<void> {
  const open = await listOpenOperations(tx, merchantId, paymentId ?? '')
  const earlier = open.find((each) => each.id === operationId)
  if (earlier)
    await applyOperationIn(ctx, tx, earlier, {
      to: 'failed',
      cause: 'request',
      dueAt: null,
      detail: `asked for again by ${id}`,
    })
}
