/** What the owners of shops are still to be told by mail. */
import { type Queryable, statement } from '../db.ts'
import { ORDER_BOOK_COLUMNS, type OrderBook } from './books.ts'
import type { OrderChange } from './orders.ts'

export type UnsentNews = Pick<OrderChange, 'orderId' | 'number'>

const waiting = statement<{ merchantId: string }>(
  'list_merchants_with_order_news',
  `select b.merchant_id as "merchantId" from world.order_books b
   where b.email is not null and exists (
     select from world.order_changes c where c.merchant_id = b.merchant_id and c.news is not null and c.mail_id is null and c.at >= $1
     union all
     select from world.order_cases c where c.merchant_id = b.merchant_id and c.mail_id is null and c.at >= $1)`,
)

/** Returns the merchants with news since a time. */
export async function listMerchantsWithNews(db: Queryable, since: Date): Promise<string[]> {
  return (await waiting(db, [since])).map(({ merchantId }) => merchantId)
}

/** Locks the order book. Returns null if somebody else has locked it. */
// Of many workers one tells the news of a merchant.
export const lockOrderBook = statement<OrderBook>(
  'lock_order_book',
  `select ${ORDER_BOOK_COLUMNS} from world.order_books
   where merchant_id = $1 for update skip locked`,
).first((merchantId: string) => [merchantId])

/** Returns up to `limit` pieces of news, the oldest first. */
export const listNews = statement<UnsentNews>(
  'list_order_news',
  `select order_id as "orderId", number from world.order_changes
   where merchant_id = $1 and news is not null and mail_id is null and at >= $2 and at < $3 order by at, order_id, number limit $4`,
).all(
  ({ merchantId, since, until, limit }: { merchantId: string; since: Date; until: Date; limit: number }) => [
    merchantId,
    since,
    until,
    limit,
  ],
)

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
