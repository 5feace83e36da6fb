/** What people do with an order: move it on its way, answer its question, and write a remark. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type MoneyState, moneyOf } from '../../orders/decide.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { changeOrder, lockOrder, type OrderRecord, type Way } from '../../storage/orders/orders.ts'
import { listPaymentsOfOrder } from '../../storage/orders/payments.ts'

const REMARK_MAX_CHARS = 2_000
/** Nothing leaves the shop by mistake while its money is not there. */
const LEAVES: readonly Way[] = ['packed', 'sent', 'done']
const MONEY_IS_THERE: readonly MoneyState[] = ['paid', 'part_returned']

type Named = Pick<OrderRecord, 'merchantId' | 'id'>

/**
 * Moves an order. That also answers its question, because whoever moves it has decided. `anyway`: although its money is not
 * there, or a person should decide first.
 * @throws AppError validation_failed that says what is in the way; not_found
 */
export async function moveOrder(
  ctx: Context,
  named: Named,
  { to, by, anyway }: { to: Way; by: string; anyway: boolean },
): Promise<OrderRecord> {
  return inTransaction(ctx.db, async (tx) => {
    const order = await lock(tx, named)
    if (order.way === to) throw refused(`The order is ${to} already.`)
    const state = await stateOf(tx, order)
    if (LEAVES.includes(to) && !anyway) expectClear(order, state)
    const after = { ...order, way: to, question: null }
    await changeOrder(tx, after, { at: ctx.clock.now(), kind: 'moved', by, toWay: to, why: order.question })
    return { ...after, changes: order.changes + 1 }
  })
}

/** Stores a remark. `answers`: it answers the order's question. @throws AppError validation_failed, not_found */
export async function remarkOnOrder(
  ctx: Context,
  named: Named,
  { text, by, answers }: { text: string; by: string; answers: boolean },
): Promise<OrderRecord> {
  const remark = text.trim()
  if (remark === '' || [...remark].length > REMARK_MAX_CHARS)
    throw refused(`A note has 1 to ${REMARK_MAX_CHARS} characters.`)
  return inTransaction(ctx.db, async (tx) => {
    const order = await lock(tx, named)
    if (answers && order.question === null) throw refused('Nobody has to decide anything about this order.')
    const after = answers ? { ...order, question: null } : order
    const kind = answers ? 'answered' : 'remark'
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

async function stateOf(tx: Tx, { merchantId, reference, paymentId }: OrderRecord): Promise<MoneyState> {
  const payments = await listPaymentsOfOrder(tx, merchantId, reference)
  const own = payments.find((each) => each.paymentId === paymentId)
  return own ? moneyOf(own) : 'none'
}

const NOT_THERE: Partial<Record<MoneyState, string>> = {
  held: 'Its money is only held. Capture the payment first.',
  returned: 'Its money went back to the buyer.',
  disputed: 'The buyer disputes the payment.',
  unknown: 'Nobody knows yet whether its money came.',
  none: 'It has no money.',
}

function expectClear({ question }: OrderRecord, state: MoneyState): void {
  if (question !== null) throw refused('A person must decide about this order first. Look at it.')
  if (!MONEY_IS_THERE.includes(state)) throw refused(NOT_THERE[state] ?? 'It has no money.')
}

const refused = (message: string) => new AppError('validation_failed', { message })
