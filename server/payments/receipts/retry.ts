/** A merchant asks to print a failed receipt again. */

import type { Context } from '../../context.ts'
import type { OperationResponse } from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import { translate } from '../../messages/translate.ts'
import type { Tx } from '../../storage/db.ts'
import { listOpenOperations, type OperationRecord } from '../../storage/payments/operations.ts'
import { findPayment, lockPayment } from '../../storage/payments/payments.ts'
import { listReceipts, type ReceiptRecord } from '../../storage/payments/receipts.ts'
import { applyOperationIn } from '../operation-change.ts'
import {
  type Asker,
  callerInHistory,
  claimOf,
  presentRequested,
  requestOperation,
  rereadOperation,
} from '../operation-request.ts'
import { isStuck } from '../receipt.ts'
import { applyReceiptIn } from '../receipt-change.ts'
import { isTaken } from '../status.ts'

export type FiscalRetryRequest = Asker & { paymentId: string }

/**
 * Retries the payment's first receipt that failed or is unclear: the sale's receipt first, then the refunds'. The operation ends
 * when the receipt does.
 * @throws AppError payment_not_found, operation_disabled, operation_not_configured, fiscalization_disabled,
 *   receipt_already_issued, payment_not_eligible, idempotency_key_reused
 */
export async function requestFiscalRetry(
  ctx: Context,
  { paymentId, ...asker }: FiscalRetryRequest,
): Promise<OperationResponse> {
  const payment = await findPayment(ctx.db, asker.merchantId, paymentId)
  if (!payment) throw new AppError('payment_not_found')
  const claim = claimOf(asker, `POST /v1/fiscal-receipts/${paymentId}/retry`, {})
  const { currency, attempt } = payment
  const { provider, accountId } = attempt
  const draft = { type: 'fiscal_retry', provider, accountId, paymentId, currency } as const
  const requested = await requestOperation(ctx, claim, draft, (tx, operation) =>
    accept(ctx, tx, operation, asker),
  )
  // `accept` has already set it to processing.
  const operation = await rereadOperation(ctx, requested.operation)
  return presentRequested(ctx, { ...requested, operation }, payment)
}

async function accept(ctx: Context, tx: Tx, operation: OperationRecord, asker: Asker): Promise<void> {
  const { merchantId, id: operationId } = operation
  const payment = await lockPayment(tx, merchantId, operation.paymentId ?? '')
  if (!payment) throw new AppError('payment_not_found')
  const receipts = await listReceipts(tx, merchantId, payment.id)
  const stuck = receipts.find(isStuck)
  if (!stuck) throw nothingToRetry(isTaken(payment) || receipts.length > 0, receipts)
  await endEarlierRetry(ctx, tx, { stuck, asker }, operation)
  const now = ctx.clock.now()
  const to = stuck.status === 'failed' ? 'waiting' : 'printing'
  const change = { to, operationId, attempts: 0, dueAt: now, detail: `retried by ${operationId}` } as const
  await applyReceiptIn(ctx, tx, stuck, change)
  // The worker now takes up the receipt, not the operation, so the operation has no due time.
  await applyOperationIn(ctx, tx, operation, { to: 'processing', ...callerInHistory(asker), dueAt: null })
}

/** Returns the error that says why there is no receipt to retry. */
function nothingToRetry(isPaid: boolean, receipts: ReceiptRecord[]): AppError {
  if (!isPaid)
    return new AppError('payment_not_eligible', {
      message: translate('en', 'errors.receipt.nothingCaptured'),
    })
  if (receipts.length === 0) return new AppError('fiscalization_disabled')
  if (receipts[0]?.status === 'issued') return new AppError('receipt_already_issued')
  return new AppError('payment_not_eligible', {
    message: translate('en', 'errors.receipt.notFailed'),
  })
}

/** Ends an earlier retry of the same receipt that still waits for an operator, because the new retry replaces it. */
async function endEarlierRetry(
  ctx: Context,
  tx: Tx,
  { stuck: { operationId }, asker }: { stuck: ReceiptRecord; asker: Asker },
  { merchantId, paymentId, id }: OperationRecord,
): Promise<void> {
  const open = await listOpenOperations(tx, merchantId, paymentId ?? '')
  const earlier = open.find((each) => each.id === operationId)
  if (earlier)
    await applyOperationIn(ctx, tx, earlier, {
      to: 'failed',
      ...callerInHistory(asker),
      dueAt: null,
      detail: `replaced by the retry ${id}`,
    })
}
