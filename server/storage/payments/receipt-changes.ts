import { statement } from '../db.ts'
import type { ReceiptStatus } from './receipts.ts'

/** One line of a receipt's history. */
export type ReceiptChangeRecord = {
  merchantId: string
  paymentId: string
  receiptId: string
  /** Null for the first line. */
  fromStatus: ReceiptStatus | null
  toStatus: ReceiptStatus
  /** The person who decided, if a person did. */
  actor: string | null
  detail: string | null
  createdAt: Date
}

export const insertReceiptChange = statement(
  'insert_receipt_change',
  `insert into world.receipt_changes (merchant_id, payment_id, receipt_id, from_status, to_status, actor, detail, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
).run((record: ReceiptChangeRecord) => {
  const { merchantId, paymentId, receiptId, fromStatus, toStatus, actor, detail, createdAt } = record
  return [merchantId, paymentId, receiptId, fromStatus, toStatus, actor, detail, createdAt]
})

export const listReceiptChanges = statement<ReceiptChangeRecord>(
  'list_receipt_changes',
  `select merchant_id as "merchantId", payment_id as "paymentId", receipt_id as "receiptId", from_status as "fromStatus",
     to_status as "toStatus", actor, detail, created_at as "createdAt"
   from world.receipt_changes where merchant_id = $1 and payment_id = $2 order by created_at, id`,
).all((merchantId: string, paymentId: string) => [merchantId, paymentId])
