/** A payment as stored: what is to be paid once. Its orders at providers are its attempts. */
import type { CurrencyCode, Customer, Metadata } from '../../contract/fields.ts'
import type { FiscalStatus, PaymentStatus } from '../../contract/payment.ts'
import { type Queryable, statement } from '../db.ts'
import type { Language } from '../merchants/branding.ts'
import { ATTEMPT_COLUMNS, type Attempt } from './attempt.ts'

/** Amounts in minor units. */
export type Payment = {
  merchantId: string
  id: string
  merchantOrderId: string
  /** The number of the attempt that holds the payment's money, else of the latest one. */
  ownAttempt: number
  /** True for a charge of a saved method: a decline ends the payment. */
  singleAttempt: boolean
  /** True where the buyer chooses between the merchant's routes before each attempt. */
  buyerChooses: boolean
  amountMinor: number
  currency: CurrencyCode
  authorizedMinor: number
  capturedMinor: number
  refundedMinor: number
  /** The sum of refunds that are not decided yet. No other refund can use this money. */
  refundReservedMinor: number
  status: PaymentStatus
  fiscalStatus: FiscalStatus
  /** Rises by one with every change of status. */
  version: number
  description: string | null
  returnUrl: string | null
  /** Where *Back to the shop* leads, for payments of buttons and pay pages. Null: see `returnUrl`. */
  shopUrl: string | null
  customer: Customer | null
  /** The language of the page from which a buyer last went on to pay. Null if no buyer has. */
  locale: Language | null
  metadata: Metadata | null
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
  /** When its merchant cancelled it. Money that arrives after that goes back. Null for every other end of a payment. */
  merchantCancelledAt: Date | null
}

/** The column of each field. */
export const PAYMENT_COLUMNS: Record<keyof Payment, string> = {
  merchantId: 'merchant_id',
  id: 'id',
  merchantOrderId: 'merchant_order_id',
  ownAttempt: 'attempt',
  singleAttempt: 'single_attempt',
  buyerChooses: 'buyer_chooses',
  amountMinor: 'amount_minor',
  currency: 'currency',
  authorizedMinor: 'authorized_minor',
  capturedMinor: 'captured_minor',
  refundedMinor: 'refunded_minor',
  refundReservedMinor: 'refund_reserved_minor',
  status: 'status',
  fiscalStatus: 'fiscal_status',
  version: 'version',
  description: 'description',
  returnUrl: 'return_url',
  shopUrl: 'shop_url',
  customer: 'customer',
  locale: 'locale',
  metadata: 'metadata',
  expiresAt: 'expires_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  merchantCancelledAt: 'merchant_cancelled_at',
}

/** What names a payment. */
export type NamedPayment = Pick<Payment, 'merchantId' | 'id'>

/** A payment with one of its attempts: its own, unless a caller asks for another one. */
export type AttemptedPayment = Payment & { attempt: Attempt }

/** Returns the payment with these fields of its attempt replaced. */
export function withAttempt(payment: AttemptedPayment, changes: Partial<Attempt>): AttemptedPayment {
  return { ...payment, attempt: { ...payment.attempt, ...changes } }
}

export const OF_PAYMENT = 'a.merchant_id = p.merchant_id and a.payment_id = p.id'
const select = (table: string, columns: Record<string, string>) =>
  Object.values(columns).map((column) => `${table}.${column} as ${table}_${column}`)
/** For `attemptedPayments`. `p`: the payment. `a`: one of its attempts. */
export const COLUMNS = [...select('p', PAYMENT_COLUMNS), ...select('a', ATTEMPT_COLUMNS)].join(', ')

const reading = (table: string, columns: Record<string, string>) =>
  Object.entries(columns).map(([field, column]) => [field, `${table}_${column}`] as const)
const PAYMENT_FIELDS = reading('p', PAYMENT_COLUMNS)
const ATTEMPT_FIELDS = reading('a', ATTEMPT_COLUMNS)

function read(row: Record<string, unknown>, fields: typeof PAYMENT_FIELDS): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const [field, name] of fields) record[field] = row[name]
  return record
}

/** A statement that selects COLUMNS. */
export function attemptedPayments(name: string, text: string, options: { isPlannedAnew?: boolean } = {}) {
  const rows = statement<Record<string, unknown>>(name, text, options)
  return async (db: Queryable, values: unknown[]): Promise<AttemptedPayment[]> =>
    (await rows(db, values)).map(
      (row) => ({ ...read(row, PAYMENT_FIELDS), attempt: read(row, ATTEMPT_FIELDS) }) as AttemptedPayment,
    )
}
