/** Fiscal receipts. `payments/receipt.ts` says which changes are allowed, and the database enforces the same rules. */
import type { FiscalStatus } from '../../contract/payment.ts'
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'
import { WORDS } from '../rows.ts'

export const RECEIPT_STATUSES = WORDS['receipts.status']
/**
 * `printing`: the request was sent to the register, and its outcome is unknown. `unclear`: asking the register cannot tell the
 * outcome either. `cancelled`: the refund failed after all, and the receipt was never printed, or an operator has corrected it.
 */
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number]

const FIELDS = fieldsOf('receipts', [
  'merchantId',
  'id',
  'paymentId',
  'kind',
  'amountMinor',
  'currency',
  /** The account whose settings and credentials print it. */
  'accountId',
  'register',
  'status',
  'statusReason',
  /** The number that the register gave to the receipt. */
  'number',
  'url',
  /** Further lines that the register has printed on it, by its own labels, and the text of its QR code. */
  'printed',
  'qr',
  /** Since when the register works on it. Null while it has not said so. */
  'pendingSince',
  /** The sequence number of the last request to the register. */
  'sequence',
  'sentAt',
  /** The fiscal_retry operation that ends when this receipt ends. */
  'operationId',
  /** When the worker next works on it. Null if the worker need not, or if it waits for the receipt of its sale. */
  'dueAt',
  'attempts',
  'createdAt',
  'updatedAt',
])
/** One receipt, as stored. Amounts in minor units. */
export type ReceiptRecord = RecordOf<'receipts', typeof FIELDS>

const COLUMNS = selected(FIELDS)

const dueRegisters = statement<{ register: string }>(
  'list_due_registers',
  'select distinct register from world.receipts where due_at <= $1',
)

type Named = Pick<ReceiptRecord, 'merchantId' | 'id'>
const NEW = fieldsOf('receipts', [
  'merchantId',
  'id',
  'paymentId',
  'kind',
  'amountMinor',
  'currency',
  'accountId',
  'register',
  'dueAt',
  'createdAt',
  'updatedAt',
])
export type NewReceipt = Omit<RecordOf<'receipts', typeof NEW>, 'updatedAt'>
const valuesOfNew = valuesOf('receipts', NEW)

/** @throws Error if the payment already has a receipt for the sale, or if refunds would exceed the sale */
export const insertReceipt = statement<ReceiptRecord>(
  'insert_receipt',
  `${insertInto('receipts', NEW)} returning ${COLUMNS}`,
).row((record: NewReceipt) => valuesOfNew({ ...record, updatedAt: record.createdAt }))

/** Returns the sale's receipt first, then the refunds' receipts in order. While the payment is locked, nobody changes them. */
export const listReceipts = statement<ReceiptRecord>(
  'list_receipts',
  `select ${COLUMNS} from world.receipts where merchant_id = $1 and payment_id = $2 order by kind desc, id`,
).all((merchantId: string, paymentId: string) => [merchantId, paymentId])

/** For operators, who may read the receipts of all merchants. */
export const findReceiptById = statement<ReceiptRecord>(
  'find_receipt_by_id',
  `select ${COLUMNS} from world.receipts where id = $1`,
).first((id: string) => [id])

/** Receipts that need a person come first, then the newest. */
export const listReceiptsForPeople = statement<ReceiptRecord>(
  'list_receipts_for_people',
  `select ${COLUMNS} from world.receipts where ($1::text is null or merchant_id = $1) and ($2::text is null or status = $2)
   order by status in ('failed', 'unclear') desc, id desc limit $3`,
).all(
  ({
    merchantId,
    status,
    limit,
  }: {
    merchantId: string | null
    status: ReceiptStatus | null
    limit: number
  }) => [merchantId, status, limit],
)

/** Returns the registers that have due receipts. */
export async function listDueRegisters(db: Queryable, now: Date): Promise<string[]> {
  return (await dueRegisters(db, [now])).map((row) => row.register)
}

/** Returns when the next receipt is due. Null if there is none. */
export const findNextDueReceipt = statement<{ at: Date | null }>(
  'find_next_due_receipt',
  'select min(due_at) as at from world.receipts where due_at is not null',
).value('at', null)

/** Returns the account of a receipt that is due at the register; null if none is. */
export const findDueAccount = statement<{ accountId: string }>(
  'find_due_account',
  'select account_id as "accountId" from world.receipts where register = $1 and due_at <= $2 limit 1',
).value('accountId', null, (register: string, now: Date) => [register, now])

/**
 * Claims the receipt of a register that has waited longest. It is due again at `leaseUntil`, unless it is rescheduled. `waitsForUnclear`:
 * none is claimed besides one of which it is unclear whether it was printed.
 */
export const claimDueReceipt = statement<ReceiptRecord>(
  'claim_due_receipt',
  `update world.receipts set due_at = $3, attempts = attempts + 1
   where (merchant_id, id) in (
     select merchant_id, id from world.receipts where register = $1 and due_at <= $2
       and (not $4 or status = 'printing' or not exists (
         select from world.receipts other where other.register = $1 and other.status = 'printing' and other.pending_since is null))
     order by due_at, id limit 1 for update skip locked)
   returning ${COLUMNS}`,
).first(
  (
    register: string,
    { now, leaseUntil, waitsForUnclear = false }: { now: Date; leaseUntil: Date; waitsForUnclear?: boolean },
  ) => [register, now, leaseUntil, waitsForUnclear],
)

/** Writes a decided status. Only `payments/receipt-change.ts` calls this. */
export const updateReceipt = statement<ReceiptRecord>(
  'update_receipt',
  `update world.receipts set status = $3, status_reason = $4, number = $5, url = $6, sequence = $7, sent_at = $8, operation_id = $9,
     due_at = $10, attempts = $11, updated_at = $12, printed = $13, qr = $14, pending_since = $15
   where merchant_id = $1 and id = $2 returning ${COLUMNS}`,
).row((to: ReceiptRecord) => {
  const { merchantId, id, status, statusReason, number, url, sequence, sentAt } = to
  const { operationId, dueAt, attempts, updatedAt } = to
  const values = [status, statusReason, number, url, sequence, sentAt]
  const printed = to.printed && JSON.stringify(to.printed)
  return [merchantId, id, ...values, operationId, dueAt, attempts, updatedAt, printed, to.qr, to.pendingSince]
})

/** Makes the receipts of a payment's refunds due. */
export const wakeRefundReceipts = statement(
  'wake_refund_receipts',
  `update world.receipts set due_at = $3 where merchant_id = $1 and payment_id = $2 and kind = 'refund' and status = 'waiting'`,
).run(({ merchantId, paymentId }: Pick<ReceiptRecord, 'merchantId' | 'paymentId'>, at: Date) => [
  merchantId,
  paymentId,
  at,
])

/** Postpones a receipt. `why` is stored as the reason of its status. `pendingSince`: the register has taken it; absent: as before. */
export const rescheduleReceipt = statement(
  'reschedule_receipt',
  `update world.receipts set due_at = $3, status_reason = $4, pending_since = coalesce($5, pending_since)
   where merchant_id = $1 and id = $2 and due_at is not null`,
).run(
  (
    { merchantId, id }: Named,
    { dueAt, why, pendingSince = null }: { dueAt: Date; why: string; pendingSince?: Date | null },
  ) => [merchantId, id, dueAt, why, pendingSince],
)

/** Writes the payment's fiscal status, which follows from its receipts. Only `payments/receipt-change.ts` calls this. */
export const updateFiscalStatus = statement(
  'update_payment_fiscal_status',
  'update world.payments set fiscal_status = $3, updated_at = $4 where merchant_id = $1 and id = $2',
).run(({ merchantId, id }: Named, fiscalStatus: FiscalStatus, at: Date) => [merchantId, id, fiscalStatus, at])
