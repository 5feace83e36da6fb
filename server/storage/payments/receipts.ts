/** Fiscal receipts. `payments/receipt.ts` says which changes are allowed, and the database enforces the same rules. */
import type { CurrencyCode } from '../../contract/fields.ts'
import type { FiscalStatus } from '../../contract/payment.ts'
import { type Queryable, statement } from '../db.ts'

export const RECEIPT_STATUSES = ['waiting', 'printing', 'issued', 'failed', 'unclear', 'cancelled'] as const
/**
 * `printing`: the request was sent to the register, and its outcome is unknown. `unclear`: asking the register cannot tell the
 * outcome either. `cancelled`: the refund failed after all, and the receipt was never printed, or an operator has corrected it.
 */
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number]

/** One receipt, as stored. Amounts in minor units. */
export type ReceiptRecord = {
  merchantId: string
  id: string
  paymentId: string
  kind: 'sale' | 'refund'
  amountMinor: number
  currency: CurrencyCode
  /** The account whose settings and credentials print it. */
  accountId: string
  register: string
  status: ReceiptStatus
  statusReason: string | null
  /** The number that the register gave to the receipt. */
  number: string | null
  url: string | null
  /** The sequence number of the last request to the register. */
  sequence: number | null
  sentAt: Date | null
  /** The fiscal_retry operation that ends when this receipt ends. */
  operationId: string | null
  /** When the worker next works on it. Null if the worker need not, or if it waits for the receipt of its sale. */
  dueAt: Date | null
  attempts: number
  createdAt: Date
  updatedAt: Date
}

const COLUMNS = `merchant_id as "merchantId", id, payment_id as "paymentId", kind, amount_minor as "amountMinor", currency,
  account_id as "accountId", register, status, status_reason as "statusReason", number, url, sequence, sent_at as "sentAt",
  operation_id as "operationId", due_at as "dueAt", attempts, created_at as "createdAt", updated_at as "updatedAt"`

const dueRegisters = statement<{ register: string }>(
  'list_due_registers',
  'select distinct register from world.receipts where due_at <= $1',
)

type Named = Pick<ReceiptRecord, 'merchantId' | 'id'>
export type NewReceipt = Pick<
  ReceiptRecord,
  | 'merchantId'
  | 'id'
  | 'paymentId'
  | 'kind'
  | 'amountMinor'
  | 'currency'
  | 'accountId'
  | 'register'
  | 'dueAt'
  | 'createdAt'
>

/** @throws Error if the payment already has a receipt for the sale, or if refunds would exceed the sale */
export const insertReceipt = statement<ReceiptRecord>(
  'insert_receipt',
  `insert into world.receipts (merchant_id, id, payment_id, kind, amount_minor, currency, register, due_at, created_at, updated_at, account_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10) returning ${COLUMNS}`,
).row((record: NewReceipt) => {
  const { merchantId, id, paymentId, kind, amountMinor, currency, register, dueAt, createdAt, accountId } =
    record
  const values = [
    merchantId,
    id,
    paymentId,
    kind,
    amountMinor,
    currency,
    register,
    dueAt,
    createdAt,
    accountId,
  ]
  return values
})

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

/** Claims the receipt of a register that has waited longest. It is due again at `leaseUntil`, unless it is rescheduled. */
export const claimDueReceipt = statement<ReceiptRecord>(
  'claim_due_receipt',
  `update world.receipts set due_at = $3, attempts = attempts + 1
   where (merchant_id, id) in (
     select merchant_id, id from world.receipts where register = $1 and due_at <= $2
     order by due_at, id limit 1 for update skip locked)
   returning ${COLUMNS}`,
).first((register: string, { now, leaseUntil }: { now: Date; leaseUntil: Date }) => [
  register,
  now,
  leaseUntil,
])

/** Writes a decided status. Only `payments/receipt-change.ts` calls this. */
export const updateReceipt = statement<ReceiptRecord>(
  'update_receipt',
  `update world.receipts set status = $3, status_reason = $4, number = $5, url = $6, sequence = $7, sent_at = $8, operation_id = $9,
     due_at = $10, attempts = $11, updated_at = $12
   where merchant_id = $1 and id = $2 returning ${COLUMNS}`,
).row((to: ReceiptRecord) => {
  const { merchantId, id, status, statusReason, number, url, sequence, sentAt } = to
  const { operationId, dueAt, attempts, updatedAt } = to
  const told = [status, statusReason, number, url, sequence, sentAt]
  return [merchantId, id, ...told, operationId, dueAt, attempts, updatedAt]
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

/** Postpones a receipt. `why` is stored as the reason of its status. */
export const rescheduleReceipt = statement(
  'reschedule_receipt',
  `update world.receipts set due_at = $3, status_reason = $4 where merchant_id = $1 and id = $2 and due_at is not null`,
).run(({ merchantId, id }: Named, { dueAt, why }: { dueAt: Date; why: string }) => [
  merchantId,
  id,
  dueAt,
  why,
])

/** Writes the payment's fiscal status, which follows from its receipts. Only `payments/receipt-change.ts` calls this. */
export const updateFiscalStatus = statement(
  'update_payment_fiscal_status',
  'update world.payments set fiscal_status = $3, updated_at = $4 where merchant_id = $1 and id = $2',
).run(({ merchantId, id }: Named, fiscalStatus: FiscalStatus, at: Date) => [merchantId, id, fiscalStatus, at])
