/** A payment's fiscal receipts, as JSON and as text. */
import type { ReceiptChangeRecord, ReceiptRecord, Timeline } from '../operator/payment-timeline.ts'
import { amount, moment, table } from './layout.ts'

/** With its history, oldest line first. */
export function presentReceipt(record: ReceiptRecord, all: ReceiptChangeRecord[]) {
  const { id: receiptId, kind, amountMinor, currency, register, status, statusReason } = record
  const { number, url, dueAt, attempts, createdAt, updatedAt } = record
  const changes = all.filter((change) => change.receiptId === receiptId)
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
    changes: changes.map(({ fromStatus, toStatus, actor, detail, createdAt: at }) => ({
      from: fromStatus,
      to: toStatus,
      actor,
      detail,
      createdAt: at,
    })),
  }
}

/** Null where there are none. */
export function receiptsText({ receipts, receiptChanges }: Timeline): string | null {
  if (receipts.length === 0) return null
  const rows = receiptChanges.map(({ createdAt, receiptId, toStatus, actor, detail }) => {
    const receipt = receipts.find(({ id }) => id === receiptId)
    const about = receipt ? `${receipt.kind} ${amount(receipt.amountMinor, receipt.currency)}` : ''
    const number = toStatus === 'issued' ? `No. ${receipt?.number}` : ''
    return [moment(createdAt), about, toStatus, [number, detail, actor].filter(Boolean).join(' '), receiptId]
  })
  return `Receipts\n${table(['When', 'Of', 'Status', 'Detail', 'Receipt'], rows)}`
}
