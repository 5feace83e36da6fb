/** How each merchant gets notices of its orders. */
import type { Language } from '../../contract/languages.ts'
import { statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, replaced, selected, valuesOf } from '../fields.ts'
import type { News } from './orders.ts'

const FIELDS = fieldsOf('order_books', [
  'merchantId',
  /** Where the mails go. Null: nowhere. */
  'email',
  'locale',
  'told',
  /** The kinds of news without mails. */
  'silent',
])
export type OrderBook = RecordOf<'order_books', typeof FIELDS, { locale: Language; silent: News[] }>

export const ORDER_BOOK_COLUMNS = selected(FIELDS)
const CHANGED = fieldsOf('order_books', ['email', 'locale', 'told', 'silent', 'changedAt'])
const valuesOfChanged = valuesOf('order_books', CHANGED)

export const findOrderBook = statement<OrderBook>(
  'find_order_book',
  `select ${ORDER_BOOK_COLUMNS} from world.order_books where merchant_id = $1`,
).first((merchantId: string) => [merchantId])

export const setOrderBook = statement(
  'upsert_order_book',
  `${insertInto('order_books', ['merchantId', ...CHANGED])} on conflict (merchant_id) do update set ${replaced(CHANGED)}`,
).run((orderBook: OrderBook, changedAt: Date) => [
  orderBook.merchantId,
  ...valuesOfChanged({ ...orderBook, changedAt }),
])
