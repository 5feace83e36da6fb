import { statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'

const FIELDS = fieldsOf('receipt_changes', [
  'merchantId',
  'paymentId',
  'receiptId',
  /** Null for the first line. */
  'fromStatus',
  'toStatus',
  /** The person who decided, if a person did. */
  'actor',
  'detail',
  'createdAt',
])
/** One line of a receipt's history. */
export type ReceiptChangeRecord = RecordOf<'receipt_changes', typeof FIELDS>

const COLUMNS = selected(FIELDS)

export const insertReceiptChange = statement(
  'insert_receipt_change',
  insertInto('receipt_changes', FIELDS),
).run(valuesOf('receipt_changes', FIELDS))

export const listReceiptChanges = statement<ReceiptChangeRecord>(
  'list_receipt_changes',
  `select ${COLUMNS}
   from world.receipt_changes where merchant_id = $1 and payment_id = $2 order by created_at, id`,
).all((merchantId: string, paymentId: string) => [merchantId, paymentId])
