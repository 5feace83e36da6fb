/** A payment as stored: what is to be paid once. Its orders at providers are its attempts. */
import { type Queryable, statement } from '../db.ts'
import { fieldOf, fieldsOf, type RecordOf } from '../fields.ts'
import { ATTEMPT_FIELDS, type Attempt } from './attempt.ts'

export const PAYMENT_FIELDS = fieldsOf('payments', [
  'merchantId',
  'id',
  'merchantOrderId',
  /** The number of the attempt that holds the payment's money, else of the latest one. */
  'attempt as ownAttempt',
  /** True for a charge of a saved method: a decline ends the payment. */
  'singleAttempt',
  /** True where the buyer chooses between the merchant's routes before each attempt. */
  'buyerChooses',
  'amountMinor',
  'currency',
  'authorizedMinor',
  'capturedMinor',
  'refundedMinor',
  /** The sum of refunds that are not decided yet. No other refund can use this money. */
  'refundReservedMinor',
  'status',
  'fiscalStatus',
  /** Rises by one with every change of status. */
  'version',
  'description',
  'returnUrl',
  /** Where *Back to the shop* leads, for payments of buttons and pay pages. Null: see `returnUrl`. */
  'shopUrl',
  'customer',
  /** The language of the page from which a buyer last went on to pay. Null if no buyer has. */
  'locale',
  'metadata',
  /** The product of the registry that a button or a pay page sells. Null for every other payment. */
  'productId',
  /** How many of the product. */
  'quantity',
  /** The period of a subscription that the payment is for. Null for every other payment. */
  'periodStart',
  'periodEnd',
  'expiresAt',
  'createdAt',
  'updatedAt',
  /** When its merchant cancelled it. Money that arrives after that goes back. Null for every other end of a payment. */
  'merchantCancelledAt',
])
/** Amounts in minor units. */
export type Payment = RecordOf<'payments', typeof PAYMENT_FIELDS>

/** What names a payment. */
export type NamedPayment = Pick<Payment, 'merchantId' | 'id'>

/** A payment with one of its attempts: its own, unless a caller asks for another one. */
export type AttemptedPayment = Payment & { attempt: Attempt }

/** Returns the payment with these fields of its attempt replaced. */
export function withAttempt(payment: AttemptedPayment, changes: Partial<Attempt>): AttemptedPayment {
  return { ...payment, attempt: { ...payment.attempt, ...changes } }
}

export const OF_PAYMENT = 'a.merchant_id = p.merchant_id and a.payment_id = p.id'
/** Each field with the name that its column has in a row of both tables. */
const namesIn = (table: string, fields: readonly string[]) =>
  fields.map(fieldOf).map(({ name, column }) => ({ name, column, key: `${table}_${column}` }))
const PAYMENT_NAMES = namesIn('p', PAYMENT_FIELDS)
const ATTEMPT_NAMES = namesIn('a', ATTEMPT_FIELDS)
const select = (table: string, names: typeof PAYMENT_NAMES) =>
  names.map(({ column, key }) => `${table}.${column} as ${key}`)
/** For `attemptedPayments`. `p`: the payment. `a`: one of its attempts. */
export const COLUMNS = [...select('p', PAYMENT_NAMES), ...select('a', ATTEMPT_NAMES)].join(', ')

function read(row: Record<string, unknown>, names: typeof PAYMENT_NAMES): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const { name, key } of names) record[name] = row[key]
  return record
}

/** A statement that selects COLUMNS. */
export function attemptedPayments(name: string, text: string, options: { isPrepared?: boolean } = {}) {
  const rows = statement<Record<string, unknown>>(name, text, options)
  return async (db: Queryable, values: unknown[]): Promise<AttemptedPayment[]> =>
    (await rows(db, values)).map((row) => {
      const payment = read(row, PAYMENT_NAMES) as Payment
      return { ...payment, ...soldBefore(payment), attempt: read(row, ATTEMPT_NAMES) as Attempt }
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
 * The version before has no columns for this, and it may be creating payments at this moment. It stores a shop URL with what buttons and
 * pay pages sell, and with nothing else: an order number and metadata are the shop's own texts, and may say the same. See to-drop.md.
 */
const isSaleOfVersionBefore = (p: string) =>
  `(${p}.shop_url is not null and ${p}.metadata ->> 'source' = 'widget')`

/** Returns what a payment of the version before sells. */
export function soldBefore(payment: Payment): Partial<Sold> {
  const { productId, shopUrl, metadata, singleAttempt } = payment
  if (productId !== null || payment.periodStart !== null || !metadata) return {}
  if (singleAttempt) return periodIn(metadata)
  const isSale = shopUrl !== null && metadata.source === 'widget'
  if (!isSale || typeof metadata.productId !== 'string') return {}
  return { productId: metadata.productId, quantity: Number(metadata.quantity ?? 1) }
}

function periodIn({ periodStart, periodEnd }: Record<string, unknown>): Partial<Sold> {
  if (typeof periodStart !== 'string' || typeof periodEnd !== 'string') return {}
  return { periodStart: new Date(periodStart), periodEnd: new Date(periodEnd) }
}
