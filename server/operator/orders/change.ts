/** What people do with an order: move it to the next state, answer its question, and write a remark. */

import type { Context } from '../../context.ts'
import { AppError, type Reason } from '../../errors.ts'
import { type MoneyState, moneyOf } from '../../orders/decide.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import {
  changeOrder,
  listOrderChanges,
  lockOrder,
  type OrderRecord,
  type Way,
} from '../../storage/orders/orders.ts'
import { listPaymentsOfOrder } from '../../storage/orders/payments.ts'

const REMARK_MAX_CHARS = 2_000
/** Nothing leaves the shop by mistake while its money is not there. */
const LEAVES: readonly Way[] = ['packed', 'sent', 'done']

type Named = Pick<OrderRecord, 'merchantId' | 'id'>
/** `seen`: how many changes the order had when the person decided. The same change sent twice is done once, and is no error. */
type SeenChanges = { seen?: number | undefined }

/**
 * Moves an order. That also answers its question, because the person who moves it has decided. `anyway`: although its money is not
 * there, or a person should decide first.
 * @throws AppError validation_failed that says what is in the way; not_found
 */
export async function moveOrder(
  ctx: Context,
  named: Named,
  { to, by, anyway, seen }: { to: Way; by: string; anyway: boolean } & SeenChanges,
): Promise<OrderRecord> {
  return inTransaction(ctx.db, async (tx) => {
    const order = await lock(tx, named)
    if (order.way === to && seen !== undefined) return order
    if (order.way === to) throw refused(`The order is ${to} already.`)
    expectSeen(order, seen)
    const state = await stateOf(tx, order)
    if (LEAVES.includes(to) && !anyway) expectClear(order, state)
    const after = { ...order, way: to, question: null }
    await changeOrder(tx, after, { at: ctx.clock.now(), kind: 'moved', by, toWay: to, why: order.question })
    return { ...after, changes: order.changes + 1 }
  })
}

/** Stores a remark. `answers`: it answers the order's question. @throws AppError validation_failed, not_found */
export async function addOrderRemark(
  ctx: Context,
  named: Named,
  { text, by, answers, seen }: { text: string; by: string; answers: boolean } & SeenChanges,
): Promise<OrderRecord> {
  const remark = text.trim()
  if (remark === '' || [...remark].length > REMARK_MAX_CHARS)
    throw refused(`A note has 1 to ${REMARK_MAX_CHARS} characters.`, 'order_note_wrong')
  return inTransaction(ctx.db, async (tx) => {
    const order = await lock(tx, named)
    const kind = answers ? 'answered' : 'remark'
    if (seen === order.changes - 1 && (await isLast(tx, order, { remark, by, kind }))) return order
    expectSeen(order, seen)
    if (answers && order.question === null)
      throw refused('Nobody has to decide anything about this order.', 'order_settled')
    const after = answers ? { ...order, question: null } : order
    await changeOrder(tx, after, {
      at: ctx.clock.now(),
      kind,
      by,
      remark,
      why: answers ? order.question : null,
    })
    return { ...after, changes: order.changes + 1 }
  })
}

async function lock(tx: Tx, { merchantId, id }: Named): Promise<OrderRecord> {
  const order = await lockOrder(tx, merchantId, id)
  if (!order) throw new AppError('not_found', { message: `There is no order ${id}.` })
  return order
}

function expectSeen({ changes }: OrderRecord, seen: number | undefined): void {
  if (seen !== undefined && changes !== seen)
    throw refused('Something has happened to the order since. Look at it again.', 'changed_meanwhile')
}

/** Whether the last change is this one: the form was sent twice. */
async function isLast(
  tx: Tx,
  { merchantId, id }: OrderRecord,
  { remark, by, kind }: { remark: string; by: string; kind: 'answered' | 'remark' },
): Promise<boolean> {
  const last = (await listOrderChanges(tx, merchantId, id)).at(-1)
  return last?.remark === remark && last.by === by && last.kind === kind
}

async function stateOf(tx: Tx, { merchantId, reference, paymentId }: OrderRecord): Promise<MoneyState> {
  const payments = await listPaymentsOfOrder(tx, merchantId, reference)
  const own = payments.find((each) => each.paymentId === paymentId)
  return own ? moneyOf(own) : 'none'
}

const NOT_THERE: Record<Exclude<MoneyState, 'paid' | 'part_returned'>, [string, Reason]> = {
  held: ['Its money is only held. Capture the payment first.', 'order_money_held'],
  returned: ['Its money went back to the buyer.', 'order_money_returned'],
  disputed: ['The buyer disputes the payment.', 'order_money_disputed'],
  unknown: ['Nobody knows yet whether its money came.', 'order_money_unknown'],
  none: ['It has no money.', 'order_money_none'],
}

function expectClear({ question }: OrderRecord, state: MoneyState): void {
  if (question !== null)
    throw refused('A person must decide about this order first. Look at it.', 'order_question')
  if (state !== 'paid' && state !== 'part_returned') throw refused(...NOT_THERE[state])
}

const refused = (message: string, reason?: Reason) =>
  new AppError('validation_failed', { message, ...(reason && { reason }) })
