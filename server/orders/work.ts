/** Works on the newest states of payments: decides each order once, and notes what happened. */
import type { Context } from '../context.ts'
import { idEnd, newId } from '../id.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { findEarlierUntil } from '../storage/events/receivers.ts'
import { findOrderBook } from '../storage/orders/books.ts'
import { changeOrder, lockOrderOf, type News, type OrderRecord, openOrder } from '../storage/orders/orders.ts'
import {
  claimDueOrderPayments,
  findUnhandled,
  type OrderPayment,
  settleOrderPayment,
} from '../storage/orders/payments.ts'
import { decide, hasMoney, type ShopPrice } from './decide.ts'
import { type FindShopPrice, findShopPrice } from './shop-price.ts'

const RETRY_MS = 30_000
const BATCH = 50

/** Works on one payment whose event was just stored. Never throws: if it fails, a worker tries again. */
export async function workOn(
  ctx: Context,
  merchantId: string,
  paymentId: string,
  find: FindShopPrice = findShopPrice,
): Promise<void> {
  const named = { merchantId, paymentId }
  await logFailure(ctx, named, async () => {
    const state = await findUnhandled(ctx.db, merchantId, paymentId)
    if (state) await handle(ctx, state, find)
  })
}

async function logFailure(
  { log }: Context,
  { merchantId, paymentId }: Pick<OrderPayment, 'merchantId' | 'paymentId'>,
  work: () => Promise<void>,
): Promise<void> {
  await work().catch((error: unknown) =>
    log.error({ err: error, merchantId, paymentId }, 'an order was not decided; it is tried again'),
  )
}

/** Works on what a crash or an error has left over. Returns how many states it worked on. */
export async function workOnDue(ctx: Context, find: FindShopPrice = findShopPrice): Promise<number> {
  const now = ctx.clock.now()
  const againAt = new Date(now.getTime() + RETRY_MS)
  const states = await claimDueOrderPayments(ctx.db, { now, againAt, limit: BATCH })
  // One that fails does not stop the others.
  for (const state of states) await logFailure(ctx, state, () => handle(ctx, state, find))
  return states.length
}

/** Handles this state in one transaction, unless it is handled or not the newest any more. */
async function handle(ctx: Context, state: OrderPayment, find: FindShopPrice): Promise<void> {
  const price = await find(ctx, state)
  const isEarlier = await wasEarlier(ctx, state)
  const wanted = isEarlier ? () => false : await newsWanted(ctx, state.merchantId)
  await inTransaction(ctx.db, async (tx) => {
    if (!(await settleOrderPayment(tx, state))) return
    const order = await orderFor(ctx, tx, state, { price, isEarlier })
    if (order) await note(tx, state, { price, order, wanted, isEarlier, at: ctx.clock.now() })
  })
}

/** Whether it happened before anything received the shop's events. The shop has long delivered it, and nobody is told about it. */
async function wasEarlier({ db }: Context, { merchantId, eventAt }: OrderPayment): Promise<boolean> {
  const until = await findEarlierUntil(db, merchantId)
  return until !== null && eventAt < until
}

async function newsWanted({ db }: Context, merchantId: string): Promise<(news: News) => boolean> {
  const orderBook = await findOrderBook(db, merchantId)
  return (news) => orderBook !== null && orderBook.email !== null && !orderBook.silent.includes(news)
}

/** A payment that failed belongs to no order, unless another payment of the order had money. */
async function orderFor(
  { world, clock }: Context,
  tx: Tx,
  { merchantId, paymentId, reference, status, eventAt }: OrderPayment,
  { price, isEarlier }: { price: ShopPrice | null; isEarlier: boolean },
): Promise<OrderRecord | null> {
  if (!hasMoney(status)) return lockOrderOf(tx, merchantId, reference)
  const createdAt = isEarlier ? eventAt : clock.now()
  const { title = null, productId = null, quantity = 1 } = price ?? {}
  return openOrder(tx, {
    merchantId,
    id: newId(world, 'ord', merchantId, clock.now()),
    reference,
    paymentId,
    number: idEnd(paymentId),
    title,
    productId,
    quantity,
    createdAt,
  })
}

/** `at`: now. An event may come days late, and the owner is still told about it. */
async function note(
  tx: Tx,
  state: OrderPayment,
  given: {
    price: ShopPrice | null
    order: OrderRecord
    wanted: (news: News) => boolean
    isEarlier: boolean
    at: Date
  },
): Promise<void> {
  const { price, order, wanted, isEarlier, at } = given
  const { kind, why, news } = decide(state, price, order)
  const decides = order.decision === null && kind !== 'note'
  // Until an order is decided, it shows the payment that had money last.
  const isShown = decides || (order.decision === null && hasMoney(state.status))
  const shown = isShown && { ...soldAs(order, price), paymentId: state.paymentId }
  // Money that is held still waits for a person, whenever that began.
  const entersDone = isEarlier && order.decision === null && state.status !== 'authorized'
  const after = {
    ...order,
    ...shown,
    ...(decides && { decision: kind }),
    ...(kind === 'ask' && !entersDone && { question: why }),
    ...(entersDone && { way: 'done' as const }),
  }
  const { paymentId, sequence, status } = state
  // After a return that failed nothing is returned any more. All of it is the shop's again.
  const amountMinor = news === 'refund' && status !== 'paid' ? state.refundedMinor : state.amountMinor
  const newsToSend = news && wanted(news) ? news : null
  const toWay = after.way === order.way ? null : after.way
  await changeOrder(tx, after, {
    at,
    kind,
    paymentId,
    sequence,
    status,
    amountMinor,
    why,
    toWay,
    news: newsToSend,
  })
}

const soldAs = (order: OrderRecord, price: ShopPrice | null) =>
  price ? { title: price.title, productId: price.productId, quantity: price.quantity } : order
