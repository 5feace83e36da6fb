/**
 * The only writer of receipts and of a payment's fiscalStatus. A receipt is born in the transaction that moves the money; a
 * change of one, its line in the history, what it makes of its payment, and the end of the retry that asked for it are one
 * write. It is no change of the payment's status: no event, no version.
 */
import type { Context } from '../context.ts'
import type { FiscalStatus } from '../contract/payment.ts'
import { newId } from '../id.ts'
import type { RouteFiscal } from '../providers/fiscal/driver.ts'
import type { Tx } from '../storage/db.ts'
import { lockPayment, type PaymentRecord } from '../storage/payments/payments.ts'
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
import { capabilityOf } from './capability.ts'
import { applyOperationIn } from './operation-change.ts'
import { canReceiptMove, fiscalStatusOf, sumOf } from './receipt.ts'

type After = Pick<PaymentRecord, 'status' | 'capturedMinor' | 'refundedMinor'>

/**
 * Writes the receipts that a payment's change asks for, within its transaction and under its lock: the sale's when money is
 * first captured, a refund's for what goes back. Answers the fiscalStatus after it.
 */
export async function noteReceiptsIn(
  ctx: Context,
  tx: Tx,
  before: PaymentRecord,
  after: After,
): Promise<FiscalStatus> {
  if (before.fiscalStatus === 'not_required') {
    const comesIn = before.capturedMinor === 0 && after.capturedMinor > 0 && after.status !== 'reversed'
    const fiscal = comesIn ? fiscalOf(ctx, before) : null
    if (!fiscal) return 'not_required'
    await bear(ctx, tx, before, { kind: 'sale', amountMinor: after.capturedMinor, register: fiscal.register })
  }
  const receipts = await listReceipts(tx, before.merchantId, before.id)
  const [sale] = receipts
  if (!sale) throw new Error(`Bug! Payment ${before.id} is ${before.fiscalStatus} without a receipt.`)
  const returnedMinor = after.status === 'reversed' ? sale.amountMinor : after.refundedMinor
  const amountMinor = Math.min(returnedMinor, sale.amountMinor) - sumOf(receipts.slice(1))
  if (amountMinor > 0)
    await bear(ctx, tx, before, { kind: 'refund', amountMinor, register: sale.register }, sale)
  return before.fiscalStatus === 'not_required' ? 'pending' : before.fiscalStatus
}

/** The cash register that a payment's sale goes to; null when it needs no receipt. */
function fiscalOf(ctx: Context, { provider, currency }: PaymentRecord): RouteFiscal | null {
  const route = ctx.routes[provider]
  const works = capabilityOf(route, 'fiscalization').enabled && route.settings.OPERATIONS !== 'not_configured'
  return works && route.fiscal?.driver.currencies.includes(currency) ? route.fiscal : null
}

/** A refund's receipt waits until its sale's is issued. */
async function bear(
  ctx: Context,
  tx: Tx,
  { merchantId, id: paymentId, currency }: PaymentRecord,
  born: Pick<NewReceipt, 'kind' | 'amountMinor' | 'register'>,
  sale?: ReceiptRecord,
): Promise<void> {
  const now = ctx.clock.now()
  const dueAt = sale && sale.status !== 'issued' ? null : now
  const receipt = {
    merchantId,
    id: newId(ctx.world, 'rcp', now),
    paymentId,
    currency,
    dueAt,
    createdAt: now,
    ...born,
  }
  await noteChange(tx, await insertReceipt(tx, receipt), { from: null })
}

export type ReceiptChange = Pick<ReceiptRecord, 'dueAt'> & {
  to: ReceiptRecord['status']
  /** For people: why. */
  detail?: string
  /** The person who decided, where one did. */
  actor?: string
} & Partial<Pick<ReceiptRecord, 'number' | 'url' | 'sequence' | 'toldAt' | 'operationId' | 'attempts'>>

/** Answers null, having written nothing, when the receipt is not where it can move from. */
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
  const fiscalStatus = fiscalStatusOf(receipts.map((each) => (each.id === after.id ? after : each)))
  if (fiscalStatus !== payment.fiscalStatus) await updateFiscalStatus(tx, payment, fiscalStatus, now)
  if (to === 'issued' && after.kind === 'sale') await wakeRefundReceipts(tx, after, now)
  await endRetry(ctx, tx, after, actor)
  return after
}

const ENDS = { issued: 'succeeded', failed: 'failed', unclear: 'requires_operator_review' } as const

/** The operation that asked for it ends as the receipt does. */
async function endRetry(ctx: Context, tx: Tx, receipt: ReceiptRecord, actor?: string): Promise<void> {
  const { merchantId, operationId, status, number, statusReason } = receipt
  if (operationId === null || status === 'waiting' || status === 'printing') return
  const about = { merchantId, id: operationId }
  await applyOperationIn(ctx, tx, about, {
    to: ENDS[status],
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
