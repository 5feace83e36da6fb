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
  /** The product of the registry that a button or a pay page sells. Null for every other payment. */
  productId: string | null
  /** How many of the product. */
  quantity: number | null
  /** The period of a subscription that the payment is for. Null for every other payment. */
  periodStart: Date | null
  periodEnd: Date | null
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
  productId: 'product_id',
  quantity: 'quantity',
  periodStart: 'period_start',
  periodEnd: 'period_end',
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
    (await rows(db, values)).map((row) => {
      const payment = read(row, PAYMENT_FIELDS) as Payment
      return { ...payment, ...soldBefore(payment), attempt: read(row, ATTEMPT_FIELDS) as Attempt }
    })
}

/*
 * What the service itself sells with a payment. The columns say so, and the metadata repeats it for the shop's programs.
 * Rule: nothing is read back from the metadata, because a shop can write the same names into payments of its own.
 */
export type Sold = Pick<Payment, 'productId' | 'quantity' | 'periodStart' | 'periodEnd'>

/** The names in the metadata of such payments that are the service's own. All other names are the shop's or the buyer's. */
export const OWN_METADATA = {
  product: ['source', 'productId', 'clientReference', 'quantity'],
  period: ['source', 'subscriptionId', 'period', 'attempt', 'periodStart', 'periodEnd'],
} as const

/** In SQL: which of the two it is; null for every other payment. `p`: the payments. A charge of a saved method is one of a period. */
export const soldIn = (p: string) =>
  `case when ${p}.product_id is not null or ${isSaleOfVersionBefore(p)} then 'product' when ${p}.single_attempt then 'period' end`

/*
 * The version before has no columns for this, and it may be creating payments at this moment. Its own order numbers begin with
 * `wgt_`. See to-drop.md.
 */
const OWN_ORDER = 'wgt_'
const isSaleOfVersionBefore = (p: string) =>
  `(starts_with(${p}.merchant_order_id, '${OWN_ORDER}') and ${p}.metadata ->> 'source' = 'widget')`

/** Returns what a payment of the version before sells. */
export function soldBefore(payment: Payment): Partial<Sold> {
  const { productId, merchantOrderId, metadata, singleAttempt } = payment
  if (productId !== null || payment.periodStart !== null || !metadata) return {}
  if (singleAttempt) return periodIn(metadata)
  const isSale = merchantOrderId.startsWith(OWN_ORDER) && metadata.source === 'widget'
  if (!isSale || typeof metadata.productId !== 'string') return {}
  return { productId: metadata.productId, quantity: Number(metadata.quantity ?? 1) }
}

function periodIn({ periodStart, periodEnd }: Record<string, unknown>): Partial<Sold> {
  if (typeof periodStart !== 'string' || typeof periodEnd !== 'string') return {}
  return { periodStart: new Date(periodStart), periodEnd: new Date(periodEnd) }
}
