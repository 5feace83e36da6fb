/** Orders of an order book as people look at them. */
import type { Context } from '../../context.ts'
import { momentOf } from '../../contract/time-zone.ts'
import { AppError } from '../../errors.ts'
import { zoneOf } from '../../merchants/branding.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { type MoneyState, moneyOf, statusesOf } from '../../orders/decide.ts'
import { makeLink } from '../../orders/link.ts'
import { inTransaction } from '../../storage/db.ts'
import { listCasesOfMail, type OrderCase } from '../../storage/orders/cases.ts'
import {
  type JoinedOrder,
  listOrders,
  listOrdersOfMail,
  type OrderFilter,
} from '../../storage/orders/lists.ts'
import {
  findOrderOfPayment,
  findOrdersNamed,
  listOrderChanges,
  listOrdersWithIds,
  type OrderChange,
  type OrderRecord,
  type Way,
} from '../../storage/orders/orders.ts'
import { listPaymentsOfOrder, type ShownOrderPayment } from '../../storage/orders/payments.ts'
import { fold } from '../finding/fold.ts'

export type { OrderCase } from '../../storage/orders/cases.ts'
export type { OrderChange, OrderRecord, Way } from '../../storage/orders/orders.ts'
export { WAYS } from '../../storage/orders/orders.ts'

export type ListedOrder = JoinedOrder & { state: MoneyState }
export type ShownOrder = ListedOrder & { payments: ShownOrderPayment[]; history: OrderChange[] }

const MONEY_IS_THERE: readonly MoneyState[] = ['paid', 'part_returned']
const DAY_MS = 86_400_000
const EARLIEST = new Date(0)

/**
 * `day`: such as 2026-08-02, in the shop's time zone. Without it: every day. `after`: the id of the last order of the page before.
 */
export type OrderListRequest = {
  merchantId: string
  day?: string | undefined
  way?: Way | undefined
  needsPerson?: boolean
  /** Together with `way`: only orders about which nobody must decide and whose money is there. */
  money?: readonly MoneyState[]
  after?: string | undefined
  limit: number
}

/** Returns orders, the newest first. @throws AppError not_found */
export async function listOrdersOf(ctx: Context, wish: OrderListRequest): Promise<ListedOrder[]> {
  await getMerchant(ctx, wish.merchantId)
  const { way = null, needsPerson = false, after = null, merchantId, limit } = wish
  const days = wish.day === undefined ? null : await daySpan(ctx, merchantId, wish.day)
  const { since, until } = days ?? { since: EARLIEST, until: new Date(ctx.clock.now().getTime() + DAY_MS) }
  const statuses = wish.money ? statusesOf(wish.money) : null
  const filter: OrderFilter = { merchantId, since, until, way, needsPerson, statuses, after, limit }
  return (await listOrders(ctx.db, filter)).map(withState)
}

/** The orders that a mail to the owner named. */
export type MailContents = { orders: ListedOrder[]; cases: OrderCase[] }

export async function listMailContents(
  { db }: Context,
  wanted: { merchantId: string; mailId: string; limit: number },
): Promise<MailContents> {
  const [orders, cases] = await Promise.all([listOrdersOfMail(db, wanted), listCasesOfMail(db, wanted)])
  return { orders: orders.map(withState), cases }
}

async function daySpan(ctx: Context, merchantId: string, day: string) {
  const zone = await zoneOf(ctx, merchantId)
  const start = Date.parse(day)
  return { since: momentOf(start, zone), until: momentOf(start + DAY_MS, zone) }
}

const withState = (order: JoinedOrder): ListedOrder => ({
  ...order,
  state: moneyOf(order.money),
})

/** Returns the order with this short number, however it is written, or with this order id of the shop. @throws AppError not_found */
export async function findOrder(ctx: Context, merchantId: string, text: string): Promise<OrderRecord> {
  await getMerchant(ctx, merchantId)
  const found = await findOrdersNamed(ctx.db, merchantId, { number: fold(text), text })
  const [order, ...others] = found
  if (order && others.length === 0) return order
  const ids = found.map(({ id }) => id).join(', ')
  throw new AppError('not_found', {
    message: order
      ? `Several orders have this number: ${ids}. Name one of them.`
      : `The order book has no order ${text}.`,
  })
}

/** The short number in two groups, as the buyer's pages show it. */
export const spokenNumber = (number: string) => `${number.slice(0, 4)} ${number.slice(4)}`.toUpperCase()

export async function findOrderById(
  { db }: Context,
  merchantId: string,
  id: string,
): Promise<OrderRecord | null> {
  return (await listOrdersWithIds(db, merchantId, [id]))[0] ?? null
}

/** Returns the order that the order book has made of this payment; null if there is none. */
export async function findOrderOf(
  { db }: Context,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<OrderRecord | null> {
  return findOrderOfPayment(db, merchantId, id)
}

export async function listOrdersById(
  { db }: Context,
  merchantId: string,
  ids: string[],
): Promise<OrderRecord[]> {
  return listOrdersWithIds(db, merchantId, ids)
}

/** The day that it is in the shop, such as 2026-08-02. */
export async function dayIn(ctx: Context, merchantId: string, at: Date): Promise<string> {
  return new Intl.DateTimeFormat('en-CA', { timeZone: await zoneOf(ctx, merchantId) }).format(at)
}

type NewWish = Omit<OrderListRequest, 'way' | 'needsPerson' | 'money'>

/** Returns what can be packed: new orders whose money is there, and about which nobody must decide. @throws AppError not_found */
export async function listToPack(ctx: Context, wish: NewWish): Promise<ListedOrder[]> {
  return listOrdersOf(ctx, { ...wish, way: 'new', money: MONEY_IS_THERE })
}

/** Returns new orders whose money is held and not taken yet, and about which nobody must decide. @throws AppError not_found */
export async function listHeld(ctx: Context, wish: NewWish): Promise<ListedOrder[]> {
  return listOrdersOf(ctx, { ...wish, way: 'new', money: ['held'] })
}

export const isPackable = ({ question, state }: ListedOrder): boolean =>
  question === null && MONEY_IS_THERE.includes(state)

/** Makes a link to the page of an order, or to the list of a day. @throws AppError not_found */
export async function linkTo(
  ctx: Context,
  merchantId: string,
  { text, day }: { text: string | undefined; day: string | undefined },
): Promise<string> {
  const order = text === undefined ? null : await findOrder(ctx, merchantId, text)
  const shown = order ? null : (day ?? (await dayIn(ctx, merchantId, ctx.clock.now())))
  return inTransaction(ctx.db, (tx) =>
    makeLink(ctx, tx, { merchantId, orderId: order?.id ?? null, day: shown }),
  )
}

/** Returns the order with its payments and all that happened. */
export async function showOrder(ctx: Context, order: OrderRecord): Promise<ShownOrder> {
  const { merchantId, id, reference, paymentId } = order
  const [payments, history] = await Promise.all([
    listPaymentsOfOrder(ctx.db, merchantId, reference),
    listOrderChanges(ctx.db, merchantId, id),
  ])
  const money = payments.find((each) => each.paymentId === paymentId)
  if (!money) throw new Error(`Bug! The order ${id} has no payment.`)
  return { ...withState({ ...order, money }), payments, history }
}
