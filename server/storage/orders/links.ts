/** The secrets that open a page of the order book, as digests. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('order_links', ['merchantId', 'orderId', 'mailId', 'expiresAt'])
/**
 * `day`: such as 2026-08-02. A link has an order or a day. The link of a test mail has neither. `mailId`: of the day only what this
 * mail named.
 */
export type OrderLink = RecordOf<'order_links', typeof FIELDS> & {
  day: string | null
}

const COLUMNS = selected(FIELDS)

export const insertOrderLink = statement(
  'insert_order_link',
  'insert into world.order_links (digest, merchant_id, order_id, day, mail_id, expires_at) values ($1, $2, $3, $4, $5, $6)',
).run((digest: string, link: OrderLink) => [
  digest,
  link.merchantId,
  link.orderId,
  link.day,
  link.mailId,
  link.expiresAt,
])

/** Returns the link unless it has ended. */
export const findOrderLink = statement<OrderLink>(
  'find_order_link',
  `select ${COLUMNS}, day::text from world.order_links
   where digest = $1 and expires_at > $2`,
).first((digest: string, now: Date) => [digest, now])

/** Deletes up to `limit` links that have ended. Returns how many. */
export const deleteExpiredLinks = statement<{ digest: string }>(
  'delete_expired_order_links',
  `delete from world.order_links where digest in (
     select digest from world.order_links where expires_at < $1 limit $2 for update skip locked) returning digest`,
).count((now: Date, limit: number) => [now, limit])
