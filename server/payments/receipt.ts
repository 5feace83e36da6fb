/**
 * The fiscal tables: the statuses of a receipt, and the fiscalStatus that a payment's receipts lead to. The database has the same
 * tables (receipt_transitions, fiscal_transitions), and a test compares them.
 */
import type { FiscalStatus } from '../contract/payment.ts'
import type { ReceiptRecord, ReceiptStatus } from '../storage/payments/receipts.ts'

export const RECEIPT_MOVES = {
  waiting: ['printing', 'failed'],
  // A receipt returns to waiting only if the register certainly printed nothing.
  printing: ['issued', 'waiting', 'failed', 'unclear'],
  issued: [],
  // Waiting: a merchant retries it. Issued: an operator had it printed elsewhere.
  failed: ['waiting', 'issued'],
  // A retry asks the register again. The receipt is printed again only if the register says that it was not printed.
  unclear: ['printing', 'issued', 'failed'],
} as const satisfies Record<ReceiptStatus, readonly ReceiptStatus[]>

export const FISCAL_MOVES = {
  not_required: ['pending'],
  pending: ['issued', 'failed', 'correction_required'],
  issued: ['partially_refunded', 'refunded', 'correction_required'],
  failed: ['pending', 'issued'],
  partially_refunded: ['refunded', 'correction_required'],
  refunded: [],
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

/** Returns the fiscalStatus that follows from a payment's receipts. A refund's receipt counts only once it is issued or stuck. */
export function fiscalStatusOf(receipts: readonly Receipt[]): FiscalStatus {
  const sale = receipts.find(({ kind }) => kind === 'sale')
  if (!sale) return 'not_required'
  if (sale.status === 'unclear') return 'correction_required'
  if (sale.status === 'failed') return 'failed'
  if (sale.status !== 'issued') return 'pending'
  const refunds = receipts.filter(({ kind }) => kind === 'refund')
  if (refunds.some(isStuck)) return 'correction_required'
  const returnedMinor = sumOf(refunds.filter(({ status }) => status === 'issued'))
  if (returnedMinor === 0) return 'issued'
  return returnedMinor < sale.amountMinor ? 'partially_refunded' : 'refunded'
}

export function sumOf(receipts: readonly Pick<ReceiptRecord, 'amountMinor'>[]): number {
  return receipts.reduce((sum, { amountMinor }) => sum + amountMinor, 0)
}
