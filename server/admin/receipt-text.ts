/** Describes the fiscal receipts of a payment. */
import type { Timeline } from '../operator/payment-timeline.ts'
import { amount, moment, table } from './layout.ts'

/** Null if the payment has no receipts. */
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
