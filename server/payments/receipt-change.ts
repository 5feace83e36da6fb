/**
 * The only writer of receipts and of a payment's fiscalStatus. A receipt is inserted in the transaction that moves the money.
 * Later, one transaction stores a receipt's change, its line in the history, the payment's fiscalStatus, and the end of the
 * retry that asked for the receipt. A changed fiscalStatus sends no event and does not raise the payment's version.
 */
import { isEnabled } from '../accounts/capability-state.ts'
import { findAccountInTransaction } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import type { FiscalStatus } from '../contract/payment.ts'
import { newId } from '../id.ts'
import type { RouteFiscal } from '../providers/fiscal/driver.ts'
import type { Tx } from '../storage/db.ts'
import type { AttemptedPayment, Payment } from '../storage/payments/payment.ts'
import { insertPaymentWarning } from '../storage/payments/payment-warnings.ts'
import { lockPayment } from '../storage/payments/payments.ts'
import { insertReceiptChange } from '../storage/payments/receipt-changes.ts'
import {
  insertReceipt,
  listReceipts,
  type NewReceipt,
  type ReceiptRecord,
  updateFiscalStatus,
  updateReceipt,
  wakeRefundReceipts,
} from '../storage/payments/receipts.ts'
import { applyOperationIn } from './operation-change.ts'
import { canReceiptMove, excessOf, fiscalStatusOf, listRefundReceipts, returnedOf, sumOf } from './receipt.ts'
import { isTaken } from './status.ts'

type After = Pick<Payment, 'status' | 'capturedMinor' | 'refundedMinor'>

/**
 * Inserts the receipts that a payment's change needs: the sale's receipt when money is first captured, and a receipt for each
 * refund. Cancels what is not printed yet of a refund that failed after all. Runs within the transaction and the lock of that
 * change. Returns the payment's new fiscalStatus.
 */
export async function noteReceiptsIn(
  ctx: Context,
  tx: Tx,
  before: AttemptedPayment,
  after: After,
): Promise<FiscalStatus> {
  if (before.fiscalStatus === 'not_required') {
    const isSale = !isTaken(before) && isTaken(after) && after.status !== 'reversed'
    const fiscal = isSale ? await fiscalOf(ctx, before) : null
    if (!fiscal) return 'not_required'
    await addReceipt(ctx, tx, before, {
      kind: 'sale',
      amountMinor: after.capturedMinor,
      accountId: before.attempt.accountId,
      register: fiscal.register,
    })
  }
  return balanceReceipts(ctx, tx, { ...before, ...after })
}

/** Makes the receipts of refunds that are printed, or will be, add up to what was returned. Returns the fiscalStatus after that. */
async function balanceReceipts(ctx: Context, tx: Tx, payment: Payment): Promise<FiscalStatus> {
  const { merchantId, id } = payment
  const receipts = await listReceipts(tx, merchantId, id)
  const [sale] = receipts
  if (!sale) throw new Error(`Bug! Payment ${id} is ${payment.fiscalStatus} without a receipt.`)
  const returnedMinor = returnedOf(sale, payment)
  let excessMinor = sumOf(listRefundReceipts(receipts)) - returnedMinor
  for (const receipt of receipts.toReversed()) {
    if (excessMinor <= 0) break
    if (receipt.kind !== 'refund' || !['waiting', 'failed'].includes(receipt.status)) continue
    await cancelReceipt(ctx, tx, receipt)
    excessMinor -= receipt.amountMinor
  }
  const { accountId, register } = sale
  const refund = { kind: 'refund', amountMinor: -excessMinor, accountId, register } as const
  if (excessMinor < 0) await addReceipt(ctx, tx, payment, refund, sale)
  const balanced = await listReceipts(tx, merchantId, id)
  await warnOfExcess(ctx, tx, payment, excessOf(balanced, returnedMinor))
  return fiscalStatusOf(balanced, returnedMinor)
}

async function cancelReceipt(ctx: Context, tx: Tx, receipt: ReceiptRecord): Promise<void> {
  const detail = 'the refund failed after all'
  const change = {
    status: 'cancelled',
    statusReason: detail,
    dueAt: null,
    updatedAt: ctx.clock.now(),
  } as const
  const cancelled = await updateReceipt(tx, { ...receipt, ...change })
  await noteChange(tx, cancelled, { from: receipt.status, detail })
  await endRetry(ctx, tx, cancelled)
}

/** A printed receipt cannot be taken back by itself, so an operator has to correct it at the cash register. */
async function warnOfExcess(
  ctx: Context,
  tx: Tx,
  { merchantId, id: paymentId }: Payment,
  excessMinor: number,
): Promise<void> {
  if (excessMinor <= 0) return
  const detail = `receipts of refunds were printed for ${excessMinor} more than was returned: correct them at the cash register, then resolve them as cancelled`
  await insertPaymentWarning(tx, { merchantId, paymentId, detail, createdAt: ctx.clock.now() })
}

/** Returns the cash register for a payment's sale; null when the payment needs no receipt. */
async function fiscalOf(
  ctx: Context,
  { currency, attempt: { accountId } }: AttemptedPayment,
): Promise<RouteFiscal | null> {
  const account = await findAccountInTransaction(ctx, accountId)
  if (!account?.fiscal || !isEnabled(ctx, account, 'fiscalization')) return null
  if (account.settings.OPERATIONS === 'not_configured') return null
  return account.fiscal.driver.currencies.includes(currency) ? account.fiscal : null
}

/** Inserts a receipt. A refund's receipt is not due until the sale's receipt is issued. */
async function addReceipt(
  ctx: Context,
  tx: Tx,
  { merchantId, id: paymentId, currency }: Payment,
  added: Pick<NewReceipt, 'kind' | 'amountMinor' | 'accountId' | 'register'>,
  sale?: ReceiptRecord,
): Promise<void> {
  const now = ctx.clock.now()
  const dueAt = sale && sale.status !== 'issued' ? null : now
  const receipt = {
    merchantId,
    id: newId(ctx.world, 'rcp', merchantId, now),
    paymentId,
    currency,
    dueAt,
    createdAt: now,
    ...added,
  }
  await noteChange(tx, await insertReceipt(tx, receipt), { from: null })
}

export type ReceiptChange = Pick<ReceiptRecord, 'dueAt'> & {
  to: ReceiptRecord['status']
  /** Why, for people. The merchant reads it as the statusReason of a retry. */
  detail?: string
  /** The operator who decided, if one did. */
  actor?: string
} & Partial<
    Pick<
      ReceiptRecord,
      | 'number'
      | 'url'
      | 'printed'
      | 'qr'
      | 'pendingSince'
      | 'sequence'
      | 'sentAt'
      | 'operationId'
      | 'attempts'
    >
  >

/** Returns null, and writes nothing, when the receipt's current status does not allow the change. */
export async function applyReceiptIn(
  ctx: Context,
  tx: Tx,
  at: Pick<ReceiptRecord, 'merchantId' | 'paymentId' | 'id'>,
  change: ReceiptChange,
): Promise<ReceiptRecord | null> {
  const payment = await lockPayment(tx, at.merchantId, at.paymentId)
  const receipts = payment ? await listReceipts(tx, at.merchantId, at.paymentId) : []
  const before = receipts.find(({ id }) => id === at.id)
  if (!payment || !before || !canReceiptMove(before.status, change.to)) return null
  const now = ctx.clock.now()
  const { to, detail = null, actor, ...changed } = change
  const written = { ...before, ...changed, status: to, statusReason: detail, updatedAt: now }
  const after = await updateReceipt(tx, written)
  await noteChange(tx, after, { from: before.status, actor, detail })
  const fiscalStatus = await balanceReceipts(ctx, tx, payment)
  if (fiscalStatus !== payment.fiscalStatus) await updateFiscalStatus(tx, payment, fiscalStatus, now)
  if (to === 'issued' && after.kind === 'sale') await wakeRefundReceipts(tx, after, now)
  await endRetry(ctx, tx, after, actor)
  return after
}

const RETRY_STATUS = {
  issued: 'succeeded',
  failed: 'failed',
  unclear: 'requires_operator_review',
  cancelled: 'failed',
} as const

/** Ends the retry that asked for the receipt, with the receipt's outcome. */
async function endRetry(ctx: Context, tx: Tx, receipt: ReceiptRecord, actor?: string): Promise<void> {
  const { merchantId, operationId, status, number, statusReason } = receipt
  if (operationId === null || status === 'waiting' || status === 'printing') return
  const about = { merchantId, id: operationId }
  await applyOperationIn(ctx, tx, about, {
    to: RETRY_STATUS[status],
    dueAt: null,
    cause: actor === undefined ? 'provider' : 'operator',
    ...(actor !== undefined && { actor }),
    ...(statusReason !== null && { detail: statusReason }),
    ...(status === 'issued' && { providerOperationId: number ?? undefined }),
  })
}

async function noteChange(
  tx: Tx,
  { merchantId, paymentId, id: receiptId, status: toStatus, updatedAt: createdAt }: ReceiptRecord,
  noted: { from: ReceiptRecord['status'] | null; actor?: string | undefined; detail?: string | null },
): Promise<void> {
  const { from: fromStatus, actor = null, detail = null } = noted
  await insertReceiptChange(tx, {
    merchantId,
    paymentId,
    receiptId,
    fromStatus,
    toStatus,
    actor,
    detail,
    createdAt,
  })
}
