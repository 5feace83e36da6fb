/** How each merchant is told of its orders. */
import type { Language } from '../../contract/languages.ts'
import { statement } from '../db.ts'
import type { News } from './orders.ts'

export type OrderBook = {
  merchantId: string
  /** Where the mails go. Null: nowhere. */
  email: string | null
  locale: Language
  told: 'at_once' | 'daily'
  /** What no mail is sent about. */
  silent: News[]
}

const COLUMNS = 'merchant_id as "merchantId", email, locale, told, silent'

export const findOrderBook = statement<OrderBook>(
  'find_order_book',
  `select ${COLUMNS} from world.order_books where merchant_id = $1`,
).first((merchantId: string) => [merchantId])

export const setOrderBook = statement(
  'upsert_order_book',
  `insert into world.order_books (merchant_id, email, locale, told, silent, changed_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (merchant_id) do update set email = excluded.email, locale = excluded.locale, told = excluded.told,
     silent = excluded.silent, changed_at = excluded.changed_at`,
).run(({ merchantId, email, locale, told, silent }: OrderBook, at: Date) => [
  merchantId,
  email,
  locale,
  told,
  silent,
  at,
])
