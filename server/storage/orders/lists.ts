/** The lists of orders, each with its payment. Every list reads an index in the order of the list, so a long history costs nothing. */
import type { PaymentStatus } from '../../contract/payment.ts'
import { type Queryable, statement } from '../db.ts'
import { listOrdersWithIds, ORDER_COLUMNS, type OrderRecord, type Way } from './orders.ts'
import { type ShownOrderPayment, soldWith } from './payments.ts'

export type JoinedOrder = OrderRecord & { money: Omit<ShownOrderPayment, 'eventAt'> }

const SELECT = `select ${ORDER_COLUMNS}, json_build_object('merchantId', p.merchant_id, 'paymentId', p.payment_id, 'reference', p.reference,
     'sequence', p.sequence, 'status', p.status, 'amountMinor', p.amount_minor, 'capturedMinor', p.captured_minor,
     'refundedMinor', p.refunded_minor, 'currency', p.currency, 'buyer', p.buyer, 'takenBack', p.taken_back,
     'sells', ${soldWith('p')}) as money
   from world.orders o join world.order_payments p on p.merchant_id = o.merchant_id and p.payment_id = o.payment_id
   where o.merchant_id = $1`
const NEWEST_FIRST = 'order by o.created_at desc, o.id desc'
// The page before ends at one place, so a page begins at an index entry. A text that may be null would make the planner read all.
const PAGE = 'and o.created_at >= $2 and (o.created_at, o.id) < ($3::timestamptz, $4::text)'

const all = statement<JoinedOrder>('list_orders', `${SELECT} ${PAGE} ${NEWEST_FIRST} limit $5`)
// Planned for the way that is asked for. One plan for all ways reads all orders to find those of a rare way.
const onWay = statement<JoinedOrder>(
  'list_orders_on_way',
  `${SELECT} ${PAGE} and o.way = $6 ${NEWEST_FIRST} limit $5`,
  { isPrepared: false },
)
// Few orders have a question at a time, so their way is looked at afterwards.
const inQuestion = statement<JoinedOrder>(
  'list_orders_in_question',
  `${SELECT} ${PAGE} and o.question is not null and ($6::text is null or o.way = $6) ${NEWEST_FIRST} limit $5`,
)
// Filtered before the limit: the newest orders may be such as have nothing to do with the question.
const onWayWithMoney = statement<JoinedOrder>(
  'list_orders_on_way_with_money',
  `${SELECT} ${PAGE} and o.way = $6 and o.question is null and p.status = any($7::text[]) ${NEWEST_FIRST} limit $5`,
  { isPrepared: false },
)

/**
 * `needsPerson`: only orders about which a person must decide. `after`: the last order of the page before. `statuses`, with a way:
 * only orders about which nobody must decide and whose payment has one of them.
 */
export type OrderFilter = {
  merchantId: string
  since: Date
  until: Date
  way: Way | null
  needsPerson: boolean
  statuses?: readonly PaymentStatus[] | null
  after?: string | null
  limit: number
}

/** Newest first. Nothing follows an order that does not exist. */
export async function listOrders(db: Queryable, filter: OrderFilter): Promise<JoinedOrder[]> {
  const { merchantId, since, until, way, needsPerson, statuses, after, limit } = filter
  const [last] = after ? await listOrdersWithIds(db, merchantId, [after]) : []
  if (after && !last) return []
  const isWithin = last && last.createdAt < until
  const page = [merchantId, since, isWithin ? last.createdAt : until, isWithin ? last.id : '', limit]
  if (needsPerson) return inQuestion(db, [...page, way])
  if (way !== null && statuses) return onWayWithMoney(db, [...page, way, statuses])
  return way === null ? all(db, page) : onWay(db, [...page, way])
}

/** The orders that a mail to the owner named, newest first. */
export const listOrdersOfMail = statement<JoinedOrder>(
  'list_orders_of_mail',
  `${SELECT} and o.id in (select c.order_id from world.order_changes c where c.merchant_id = $1 and c.mail_id = $2)
   ${NEWEST_FIRST} limit $3`,
).all(({ merchantId, mailId, limit }: { merchantId: string; mailId: string; limit: number }) => [
  merchantId,
  mailId,
  limit,
])
