/** A fiscal receipt as an operator sees it. */
import type { ReceiptChangeRecord, ReceiptRecord } from './payment-timeline.ts'

/** `changes`: may contain the changes of several receipts. The view contains only its own, oldest first. */
export function presentReceipt(record: ReceiptRecord, changes: ReceiptChangeRecord[]) {
  const { id: receiptId, kind, amountMinor, currency, register, status, statusReason } = record
  const { number, url, dueAt, attempts, createdAt, updatedAt } = record
  return {
    receiptId,
    kind,
    amountMinor,
    currency,
    register,
    status,
    statusReason,
    number,
    url,
    dueAt,
    attempts,
    createdAt,
    updatedAt,
    changes: changes
      .filter((change) => change.receiptId === receiptId)
      .map(({ fromStatus, toStatus, actor, detail, createdAt: at }) => ({
        from: fromStatus,
        to: toStatus,
        actor,
        detail,
        createdAt: at,
      })),
  }
}
