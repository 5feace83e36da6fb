/**
 * The fiscal tables: the statuses of a receipt, and the fiscalStatus that a payment's receipts lead to. The database has the same
 * tables (receipt_transitions, fiscal_transitions), and a test compares them.
 */
import type { FiscalStatus } from '../contract/payment.ts'
import type { Payment } from '../storage/payments/payment.ts'
import type { ReceiptRecord, ReceiptStatus } from '../storage/payments/receipts.ts'

export const RECEIPT_MOVES = {
  // A refund's receipt is cancelled when the refund fails after all: before it was printed, or once an operator has corrected it.
  waiting: ['printing', 'failed', 'cancelled'],
  // A receipt returns to waiting only if the register certainly printed nothing.
  printing: ['issued', 'waiting', 'failed', 'unclear'],
  issued: ['cancelled'],
  // Waiting: a merchant retries it. Issued: an operator had it printed elsewhere.
  failed: ['waiting', 'issued', 'cancelled'],
  // A retry asks the register again. The receipt is printed again only if the register says that it was not printed.
  unclear: ['printing', 'issued', 'failed'],
  cancelled: [],
} as const satisfies Record<ReceiptStatus, readonly ReceiptStatus[]>

export const FISCAL_MOVES = {
  not_required: ['pending'],
  pending: ['issued', 'failed', 'correction_required'],
  issued: ['partially_refunded', 'refunded', 'correction_required'],
  failed: ['pending', 'issued'],
  partially_refunded: ['refunded', 'correction_required'],
  refunded: ['correction_required'],
  correction_required: ['pending', 'issued', 'failed', 'partially_refunded', 'refunded'],
} as const satisfies Record<FiscalStatus, readonly FiscalStatus[]>

export function canReceiptMove(from: ReceiptStatus, to: ReceiptStatus): boolean {
  const targets: readonly ReceiptStatus[] = RECEIPT_MOVES[from]
  return targets.includes(to)
}

/** Returns whether the receipt needs a merchant's retry or an operator's decision. */
export function isStuck({ status }: Pick<ReceiptRecord, 'status'>): boolean {
  return status === 'failed' || status === 'unclear'
}

type Receipt = Pick<ReceiptRecord, 'kind' | 'status' | 'amountMinor'>

/**
 * Returns the fiscalStatus that follows from a payment's receipts and from what was returned to the buyer. A refund's receipt
 * counts only once it is issued or stuck.
 */
export function fiscalStatusOf(receipts: readonly Receipt[], returnedMinor: number): FiscalStatus {
  const sale = receipts.find(({ kind }) => kind === 'sale')
  if (!sale) return 'not_required'
  if (sale.status === 'unclear') return 'correction_required'
  if (sale.status === 'failed') return 'failed'
  if (sale.status !== 'issued') return 'pending'
  const refunds = receipts.filter(({ kind }) => kind === 'refund')
  if (refunds.some(isStuck)) return 'correction_required'
  const printedMinor = sumOf(refunds.filter(({ status }) => status === 'issued'))
  if (excessOf(receipts, returnedMinor) > 0) return 'correction_required'
  if (printedMinor === 0) return 'issued'
  return printedMinor < sale.amountMinor ? 'partially_refunded' : 'refunded'
}

/** Returns how much of a sale went back to the buyer, as far as receipts are concerned. */
export function returnedOf(
  sale: Pick<ReceiptRecord, 'amountMinor'>,
  { status, refundedMinor }: Pick<Payment, 'status' | 'refundedMinor'>,
): number {
  return status === 'reversed' ? sale.amountMinor : Math.min(refundedMinor, sale.amountMinor)
}

/** Returns the receipts of refunds that are printed, or will be. */
export function listRefundReceipts<R extends Receipt>(receipts: readonly R[]): R[] {
  return receipts.filter(({ kind, status }) => kind === 'refund' && status !== 'cancelled')
}

/** Returns for how much more than the returned amount receipts of refunds were printed. */
export function excessOf(receipts: readonly Receipt[], returnedMinor: number): number {
  const printed = listRefundReceipts(receipts).filter(({ status }) => status === 'issued')
  return Math.max(0, sumOf(printed) - returnedMinor)
}

export function sumOf(receipts: readonly Pick<ReceiptRecord, 'amountMinor'>[]): number {
  return receipts.reduce((sum, { amountMinor }) => sum + amountMinor, 0)
}
