/** The newest state of each payment about which the order book got an event. */
import type { Customer, Metadata } from '../../contract/fields.ts'
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { type OWN_METADATA, soldIn } from '../payments/payment.ts'

export type Buyer = { customer?: Customer | undefined; metadata?: Metadata | undefined }

const FIELDS = fieldsOf('order_payments', [
  'merchantId',
  'paymentId',
  /** The merchant's order id. */
  'reference',
  'sequence',
  'status',
  'amountMinor',
  'capturedMinor',
  'refundedMinor',
  'currency',
  /** Null once it is forgotten. */
  'buyer',
  /** Whether it was ever refunded, reversed or disputed. */
  'takenBack',
  /** When the event was written. */
  'eventAt',
])
export type OrderPayment = RecordOf<'order_payments', typeof FIELDS, { buyer: Buyer | null }>

/** `sells`: what the service itself sells with the payment. */
export type ShownOrderPayment = OrderPayment & { sells: keyof typeof OWN_METADATA | null }

const COLUMNS = selected(FIELDS)

/** In SQL: what the payment sells. `p`: the payments of the order book. */
export const soldWith = (p: string) =>
  `(select ${soldIn('sold')} from world.payments sold where sold.merchant_id = ${p}.merchant_id and sold.id = ${p}.payment_id)`

const STATE = [
  'sequence',
  'status',
  'amount_minor',
  'captured_minor',
  'refunded_minor',
  'currency',
  'buyer',
  'event_at',
  'due_at',
]
const newest = (column: string) =>
  `${column} = case when excluded.sequence > order_payments.sequence then excluded.${column} else order_payments.${column} end`

/** Stores what an event says, if it is newer than what is known. It is handled at `dueAt`. */
// A repeated or late event has no higher sequence, so it changes no state. It may still tell that money went back.
export const storeOrderPayment = statement(
  'upsert_order_payment',
  `insert into world.order_payments (merchant_id, payment_id, reference, sequence, status, amount_minor, captured_minor,
     refunded_minor, currency, buyer, taken_back, event_at, due_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   on conflict (merchant_id, payment_id) do update set
     taken_back = order_payments.taken_back or excluded.taken_back, ${STATE.map(newest).join(', ')}`,
).run((state: OrderPayment, dueAt: Date) => {
  const { merchantId, paymentId, reference, sequence, status, amountMinor, capturedMinor } = state
  const { refundedMinor, currency, buyer, takenBack, eventAt } = state
  const money = [amountMinor, capturedMinor, refundedMinor, currency]
  const text = JSON.stringify(buyer)
  return [merchantId, paymentId, reference, sequence, status, ...money, text, takenBack, eventAt, dueAt]
})

/** Returns states that are due to be handled. Until `againAt` nobody else claims them. */
export const claimDueOrderPayments = statement<OrderPayment>(
  'claim_due_order_payments',
  `update world.order_payments set due_at = $2
   where (merchant_id, payment_id) in (
     select merchant_id, payment_id from world.order_payments where due_at <= $1 order by due_at limit $3 for update skip locked)
   returning ${COLUMNS}`,
).all(({ now, againAt, limit }: { now: Date; againAt: Date; limit: number }) => [now, againAt, limit])

/** Returns the state if it is still to be handled. */
export const findUnhandled = statement<OrderPayment>(
  'find_order_payment',
  `select ${COLUMNS} from world.order_payments where merchant_id = $1 and payment_id = $2 and due_at is not null`,
).first((merchantId: string, paymentId: string) => [merchantId, paymentId])

/** Marks exactly this state as handled. Returns false if it is not the newest, or if somebody else has handled it. */
// No row changes if another process was faster, or if another event has come. That event is handled by itself.
export const settleOrderPayment = statement<{ handled: true }>(
  'settle_order_payment',
  `update world.order_payments set due_at = null
   where merchant_id = $1 and payment_id = $2 and sequence = $3 and taken_back = $4 and due_at is not null returning true as handled`,
).some(({ merchantId, paymentId, sequence, takenBack }: OrderPayment) => [
  merchantId,
  paymentId,
  sequence,
  takenBack,
])

/** Returns every payment of an order, the oldest first. */
export const listPaymentsOfOrder = statement<ShownOrderPayment>(
  'list_payments_of_order',
  `select ${COLUMNS}, ${soldWith('order_payments')} as sells from world.order_payments where merchant_id = $1 and reference = $2 order by payment_id`,
).all((merchantId: string, reference: string) => [merchantId, reference])

/** Blanks what the buyer wrote in these payments. Returns how many had something. */
export const forgetOrderBuyers = statement<{ paymentId: string }>(
  'forget_order_buyer',
  `update world.order_payments set buyer = null
   where merchant_id = $1 and payment_id = any($2::text[]) and buyer is not null returning payment_id as "paymentId"`,
).count((merchantId: string, paymentIds: string[]) => [merchantId, paymentIds])

/** Whether the order book knows of one of the merchant's newest events. */
export const hasNewestEvents = statement<{ found: number }>(
  'find_newest_events_in_order_book',
  `select 1 as found from (select e.payment_id, e.sequence from world.events e where e.merchant_id = $1 order by e.id desc limit 5) e
     join world.order_payments p on p.merchant_id = $1 and p.payment_id = e.payment_id and p.sequence >= e.sequence limit 1`,
).some((merchantId: string) => [merchantId])
