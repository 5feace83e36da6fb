/**
 * What the owners of shops still get a mail about: news of their orders, and cases. A case is what the service cannot decide by itself
 * about a payment of the order book. Each is sent once.
 */
import { type Queryable, statement } from '../db.ts'
import type { Word } from '../rows.ts'
import { ORDER_BOOK_COLUMNS, type OrderBook } from './books.ts'
import type { OrderChange } from './orders.ts'

export type UnsentNews = Pick<OrderChange, 'orderId' | 'number'>

const merchantsWithNews = statement<{ merchantId: string }>(
  'list_merchants_with_order_news',
  `select b.merchant_id as "merchantId" from world.order_books b
   where b.email is not null and exists (
     select from world.order_changes c where c.merchant_id = b.merchant_id and c.news is not null and c.mail_id is null and c.at >= $1
     union all
     select from world.order_cases c where c.merchant_id = b.merchant_id and c.mail_id is null and c.at >= $1)`,
)

/** Returns the merchants with news since a time. */
export async function listMerchantsWithNews(db: Queryable, since: Date): Promise<string[]> {
  return (await merchantsWithNews(db, [since])).map(({ merchantId }) => merchantId)
}

/** Locks the order book. Returns null if somebody else has locked it. */
// Only one worker sends the news of a merchant.
export const lockOrderBook = statement<OrderBook>(
  'lock_order_book',
  `select ${ORDER_BOOK_COLUMNS} from world.order_books
   where merchant_id = $1 for update skip locked`,
).first((merchantId: string) => [merchantId])

type Unsent = { merchantId: string; since: Date; until: Date; limit: number }
const valuesOf = ({ merchantId, since, until, limit }: Unsent) => [merchantId, since, until, limit]

/** Returns up to `limit` pieces of news, the oldest first. */
export const listNews = statement<UnsentNews>(
  'list_order_news',
  `select order_id as "orderId", number from world.order_changes
   where merchant_id = $1 and news is not null and mail_id is null and at >= $2 and at < $3 order by at, order_id, number limit $4`,
).all(valuesOf)

export const markNewsSent = statement(
  'mark_order_news_told',
  `update world.order_changes c set mail_id = $2 from unnest($3::text[], $4::int[]) as told (order_id, number)
   where c.merchant_id = $1 and c.order_id = told.order_id and c.number = told.number and c.mail_id is null`,
).run(({ merchantId, mailId, news }: { merchantId: string; mailId: string; news: UnsentNews[] }) => [
  merchantId,
  mailId,
  news.map(({ orderId }) => orderId),
  news.map(({ number }) => number),
])

/**
 * `unknown`: nobody knows whether the payment was paid. `review`: nobody knows whether the provider has done a return or a
 * collection. `refund_failed`: a return did not happen. `warning`: something was reported that does not fit the payment.
 */
type OrderCaseKind = Word<'order_cases.kind'>
export type UnsentCase = { kind: OrderCaseKind; subject: string }
export type OrderCase = UnsentCase & {
  paymentId: string
  /** The order of the payment. Null until money comes. */
  orderId: string | null
  /** The amount of the operation, else of the payment. */
  amountMinor: number
  currency: string
}

// Each part reads an index that has only such rows. A return that failed after all makes the payment paid, and an event tells of that.
const FOUND = `
  select p.merchant_id, 'unknown' as kind, p.id as subject, p.id as payment_id, p.updated_at as since
  from world.payments p where p.status = 'status_unknown'
  union all
  select o.merchant_id, 'review', o.id, o.payment_id, o.updated_at
  from world.operations o where o.status = 'requires_operator_review' and o.payment_id is not null
  union all
  select o.merchant_id, 'refund_failed', o.id, o.payment_id, o.updated_at
  from world.operations o join world.payments p on p.merchant_id = o.merchant_id and p.id = o.payment_id
  where o.type = 'refund' and o.status = 'failed' and o.updated_at >= $1 and (o.reverted_at is null or p.status <> 'paid')
  union all
  select w.merchant_id, 'warning', w.payment_id, w.payment_id, min(w.created_at)
  from world.payment_warnings w where w.settled_at is null group by w.merchant_id, w.payment_id`
// Warnings that came after the payment's case are a case of their own, named by the time of the oldest one that is open.
const KEY = `case when f.kind = 'warning' and exists (
     select from world.order_cases c where c.merchant_id = f.merchant_id and c.kind = f.kind and c.subject = f.subject and c.at < f.since)
   then f.subject || '@' || to_char(f.since at time zone 'UTC', 'YYYYMMDDHH24MISSUS') else f.subject end`

/** Stores up to `limit` new cases that began at a time from `since` to `until`, as news of `now`. */
export const gatherOrderCases = statement<{ one: number }>(
  'gather_order_cases',
  `insert into world.order_cases (merchant_id, kind, subject, payment_id, at)
   select f.merchant_id, f.kind, k.subject, f.payment_id, $3 from (${FOUND}) f cross join lateral (select ${KEY} as subject) k
     join world.order_books b on b.merchant_id = f.merchant_id and b.email is not null and not 'case' = any(b.silent)
     join world.order_payments p on p.merchant_id = f.merchant_id and p.payment_id = f.payment_id
   where f.since >= $1 and f.since <= $2 and not exists (
     select from world.order_cases c where c.merchant_id = f.merchant_id and c.kind = f.kind and c.subject = k.subject)
   order by f.since limit $4
   on conflict do nothing returning 1 as one`,
).run(({ since, until, now, limit }: { since: Date; until: Date; now: Date; limit: number }) => [
  since,
  until,
  now,
  limit,
])

/** Returns up to `limit` cases that no mail has told, the oldest first. */
export const listUnsentCases = statement<UnsentCase>(
  'list_untold_order_cases',
  `select kind, subject from world.order_cases
   where merchant_id = $1 and mail_id is null and at >= $2 and at < $3 order by at, kind, subject limit $4`,
).all(valuesOf)

export const markCasesSent = statement(
  'mark_order_cases_told',
  `update world.order_cases c set mail_id = $2 from unnest($3::text[], $4::text[]) as told (kind, subject)
   where c.merchant_id = $1 and c.kind = told.kind and c.subject = told.subject and c.mail_id is null`,
).run(({ merchantId, mailId, cases }: { merchantId: string; mailId: string; cases: UnsentCase[] }) => [
  merchantId,
  mailId,
  cases.map(({ kind }) => kind),
  cases.map(({ subject }) => subject),
])

/** The cases that a mail to the owner named, the oldest first. */
export const listCasesOfMail = statement<OrderCase>(
  'list_order_cases_of_mail',
  `select c.kind, c.subject, c.payment_id as "paymentId", o.id as "orderId",
     coalesce(x.amount_minor, p.amount_minor) as "amountMinor", p.currency
   from world.order_cases c join world.order_payments p on p.merchant_id = c.merchant_id and p.payment_id = c.payment_id
     left join world.orders o on o.merchant_id = p.merchant_id and o.reference = p.reference
     left join world.operations x on x.merchant_id = c.merchant_id and x.id = c.subject
   where c.merchant_id = $1 and c.mail_id = $2 order by c.at, c.kind, c.subject limit $3`,
).all(({ merchantId, mailId, limit }: { merchantId: string; mailId: string; limit: number }) => [
  merchantId,
  mailId,
  limit,
])
