/** How each merchant is told of its orders. */
import type { Language } from '../../contract/languages.ts'
import { type Queryable, statement } from '../db.ts'
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

const find = statement<OrderBook>(
  'find_order_book',
  `select ${COLUMNS} from world.order_books where merchant_id = $1`,
)
const upsert = statement(
  'upsert_order_book',
  `insert into world.order_books (merchant_id, email, locale, told, silent, changed_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (merchant_id) do update set email = excluded.email, locale = excluded.locale, told = excluded.told,
     silent = excluded.silent, changed_at = excluded.changed_at`,
)

export async function findOrderBook(db: Queryable, merchantId: string): Promise<OrderBook | null> {
  return (await find(db, [merchantId]))[0] ?? null
}

export async function setOrderBook(
  db: Queryable,
  { merchantId, email, locale, told, silent }: OrderBook,
  at: Date,
): Promise<void> {
  await upsert(db, [merchantId, email, locale, told, silent, at])
}
