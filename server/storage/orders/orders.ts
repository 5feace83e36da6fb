/** The orders of the order book, and what happened to each. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'
import { WORDS } from '../rows.ts'

export const WAYS = WORDS['orders.way']
export type Way = (typeof WAYS)[number]
/** Why a person must decide. `orders/decide.ts` says when. */
export type Question =
  | 'part_returned'
  | 'taken_back'
  | 'other_amount'
  | 'not_offered'
  | 'part_captured'
  | 'paid_twice'
/** When the mails about orders are sent. */
export const NOTICE_TIMES = WORDS['order_books.told']
export const NEWS = WORDS['order_changes.news']
export type News = (typeof NEWS)[number]

const ORDER = fieldsOf('orders', [
  'merchantId',
  'id',
  'reference',
  /** The payment that decided it, else the latest one with money. */
  'paymentId',
  /** The folded short number. */
  'number',
  'title',
  'productId',
  'quantity',
  'decision',
  'question',
  'way',
  /** How many changes it has. */
  'changes',
  'createdAt',
])
export type OrderRecord = RecordOf<'orders', typeof ORDER, { question: Question | null }>

const CHANGE_FIELDS = fieldsOf('order_changes', [
  'merchantId',
  'orderId',
  'number',
  'at',
  'kind',
  'paymentId',
  'sequence',
  'status',
  /** What a refund or a sale was about, in minor units. */
  'amountMinor',
  'why',
  'by',
  'toWay',
  'remark',
  'news',
  'mailId',
])
export type OrderChange = RecordOf<'order_changes', typeof CHANGE_FIELDS, { why: Question | null }>

const NEW = ORDER.filter(
  (each) => each !== 'decision' && each !== 'question' && each !== 'way' && each !== 'changes',
)
export const ORDER_COLUMNS = selected(ORDER, 'o')
const CHANGE = selected(CHANGE_FIELDS)
const NEW_CHANGE = CHANGE_FIELDS.filter((each) => each !== 'mailId')
/** Fields that most changes do not have. */
const NOTHING = {
  paymentId: null,
  sequence: null,
  status: null,
  amountMinor: null,
  why: null,
  by: null,
  toWay: null,
  remark: null,
  news: null,
}

const insert = statement(
  'insert_order',
  `${insertInto('orders', NEW)} on conflict (merchant_id, reference) do nothing`,
)

const update = statement(
  'update_order',
  `update world.orders set payment_id = $3, title = $4, product_id = $5, quantity = $6, decision = $7, question = $8, way = $9, changes = $10
   where merchant_id = $1 and id = $2`,
)
const insertChange = statement('insert_order_change', insertInto('order_changes', NEW_CHANGE))

/** Returns null for a payment of which the order book has no order. */
export const findOrderOfPayment = statement<OrderRecord>(
  'find_order_of_payment',
  `select ${ORDER_COLUMNS} from world.order_payments p join world.orders o on o.merchant_id = p.merchant_id and o.reference = p.reference
   where p.merchant_id = $1 and p.payment_id = $2`,
).first((merchantId: string, paymentId: string) => [merchantId, paymentId])

export type NewOrder = RecordOf<'orders', typeof NEW>

/** Stores the order unless its reference has one, and locks it. */
export async function openOrder(tx: Queryable, order: NewOrder): Promise<OrderRecord> {
  await insert(tx, valuesOf('orders', NEW)(order))
  const found = await lockOrderOf(tx, order.merchantId, order.reference)
  if (!found) throw new Error(`Bug! The order ${order.id} is not there.`)
  return found
}

/** Locks and returns the order with this reference. */
export const lockOrderOf = statement<OrderRecord>(
  'lock_order_by_reference',
  `select ${ORDER_COLUMNS} from world.orders o where merchant_id = $1 and reference = $2 for update`,
).first((merchantId: string, reference: string) => [merchantId, reference])

export const lockOrder = statement<OrderRecord>(
  'lock_order',
  `select ${ORDER_COLUMNS} from world.orders o where merchant_id = $1 and id = $2 for update`,
).first((merchantId: string, id: string) => [merchantId, id])

export type NewOrderChange = Pick<OrderChange, 'at' | 'kind'> &
  Partial<Omit<OrderChange, 'merchantId' | 'orderId' | 'number' | 'at' | 'kind' | 'mailId'>>

/** Stores the locked order as it is now, with the change that made it so. */
export async function changeOrder(
  tx: Queryable,
  order: OrderRecord,
  happened: NewOrderChange,
): Promise<void> {
  const { merchantId, id, paymentId, title, productId, quantity, decision, question, way } = order
  const number = order.changes + 1
  const shown = [title, productId, quantity]
  await update(tx, [merchantId, id, paymentId, ...shown, decision, question, way, number])
  const change = { ...NOTHING, ...happened, merchantId, orderId: id, number }
  await insertChange(tx, valuesOf('order_changes', NEW_CHANGE)(change))
}

export const listOrderChanges = statement<OrderChange>(
  'list_order_changes',
  `select ${CHANGE} from world.order_changes where merchant_id = $1 and order_id = $2 order by number`,
).all((merchantId: string, orderId: string) => [merchantId, orderId])

/** Returns the orders with this short number, folded, or with this reference or id. */
export const findOrdersNamed = statement<OrderRecord>(
  'find_orders_by_number',
  `select ${ORDER_COLUMNS} from world.orders o where merchant_id = $1 and number = $2
   union select ${ORDER_COLUMNS} from world.orders o where merchant_id = $1 and reference = $3
   union select ${ORDER_COLUMNS} from world.orders o where merchant_id = $1 and id = $3
   limit 9`,
).all((merchantId: string, { number, text }: { number: string; text: string }) => [merchantId, number, text])

export const listOrdersWithIds = statement<OrderRecord>(
  'list_orders_with_ids',
  `select ${ORDER_COLUMNS} from world.orders o where merchant_id = $1 and id = any($2::text[]) order by id`,
).all((merchantId: string, ids: string[]) => [merchantId, ids])

/** Blanks what people have written about the orders of these payments. */
export const forgetOrderRemarks = statement(
  'forget_order_remarks',
  `update world.order_changes c set remark = null from world.orders o, world.order_payments p
   where p.merchant_id = $1 and p.payment_id = any($2::text[]) and o.merchant_id = p.merchant_id and o.reference = p.reference
     and c.merchant_id = o.merchant_id and c.order_id = o.id and c.remark is not null`,
).run((merchantId: string, paymentIds: string[]) => [merchantId, paymentIds])
