/** The single acts of a random history: what buyers, merchants, operators, workers, banks and clocks do. */
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import { call, createLink, createSession, linkRequest, lookUp, sessionRequest } from '../../testing/calls.ts'
import type { Opening, Trick } from '../../testing/model/bank.ts'
import { retire, rotate, type Seller } from '../../testing/model/deployment.ts'
import type { Bend } from '../../testing/providers/ledger-bank.ts'
import { resolveOperation } from '../decisions/operation.ts'
import { DECIDED_STATUSES, resolvePayment } from '../decisions/payment.ts'
import { statusOf } from '../derived-status.ts'
import {
  advance,
  ask,
  bankAt,
  type Choice,
  chosen,
  full,
  type History,
  orderAt,
  ordersOf,
  patiently,
  settle,
  sweepAll,
} from './model-history.suite.ts'

const BENDS: Bend[] = ['lose', 'drop', 'refuse', 'take_on', 'lie', 'wrong']
const TRICKS: Trick[] = ['late', 'amount', 'stranger', 'empty', 'lost', 'late']
const OPENINGS: Opening[] = ['late', 'lost', 'dropped', 'refused', 'crash']

export const ACTS = {
  async create(history: History, { at, size }: Choice) {
    const { kassa, sellers } = history.deployment
    const seller = sellers[at % sellers.length] as Seller
    const again = size % 7 === 0 && history.keys > 0
    const key = `order-${again ? history.keys : ++history.keys}`
    const amountMinor = 100 + (size % 1_900)
    const body =
      size % 4 === 0
        ? linkRequest({ amount: (amountMinor / 100).toFixed(2) })
        : sessionRequest({ merchantOrderId: key, amountMinor })
    const create = size % 4 === 0 ? createLink : createSession
    const answer = await patiently(create(kassa.url, seller.shop, { key, body }))
    const id = answer?.body.id ?? answer?.body.paymentId
    if (answer && answer.status < 300 && id && !history.payments.some((each) => each.id === id))
      history.payments.push({ seller, id })
  },
  /** The buyer goes on to the bank, also again after a decline. */
  async goOn(history: History, { at }: Choice) {
    const payment = chosen(history, at)
    const { url } = history.deployment.kassa
    if (payment)
      await patiently(
        fetch(`${url}/checkout/${payment.id}/continue`, { method: 'POST', redirect: 'manual' }).then(
          (answer) => answer.text(),
        ),
      )
  },
  async comeBack(history: History, { at }: Choice) {
    const payment = chosen(history, at)
    const { url } = history.deployment.kassa
    if (payment)
      await patiently(
        fetch(`${url}/checkout/${payment.id}/return`, { redirect: 'manual' }).then((answer) => answer.text()),
      )
  },
  async buy(history: History, step: Choice) {
    const order = await orderAt(history, step)
    const known = order?.bank.ledger.orders.get(order.reference)
    if (!order || known?.order !== 'reached') return
    const { amountMinor } = known
    const paid = full(amountMinor)
    const outcomes = [
      paid,
      { order: 'completed', authorizedMinor: amountMinor },
      { order: 'declined' },
      { order: 'declined' },
      { order: 'expired' },
      { order: 'cancelled' },
      // The bank takes or holds less than it was asked for.
      { ...paid, authorizedMinor: amountMinor - 1, capturedMinor: amountMinor - 1 },
      { order: 'completed', authorizedMinor: 1 },
    ] as const
    order.bank.ledger.move(order.reference, outcomes[step.size % 12] ?? paid)
  },
  /** Money arrives late: the bank had reported the order as failed, cancelled or expired. */
  async arriveLate(history: History, step: Choice) {
    const payment = chosen(history, step.at)
    for (const { bank, reference } of payment ? await ordersOf(history, payment) : []) {
      const order = bank.ledger.orders.get(reference)
      if (!order || !['declined', 'cancelled', 'expired'].includes(order.order)) continue
      bank.ledger.move(reference, full(order.amountMinor))
      return
    }
  },
  /** A refund that the bank has done fails after all. */
  async undoRefund(history: History, step: Choice) {
    const order = await orderAt(history, step)
    if (!order) return
    const { ledger, undone, acted } = order.bank
    const key = ledger.undo(order.reference)
    if (key === undefined) return
    undone.add(order.reference)
    acted.delete(key)
  },
  /** Money that the bank took back comes again. */
  async unreverse(history: History, step: Choice) {
    const order = await orderAt(history, step)
    const known = order?.bank.ledger.orders.get(order.reference)
    if (known?.order !== 'voided' || known.capturedMinor === 0 || known.refundedMinor > 0) return
    order?.bank.ledger.move(known.reference, { order: 'completed' })
  },
  /** The bank calls back, up to three times at once. */
  async callBack(history: History, step: Choice) {
    const order = await orderAt(history, step)
    const { url } = history.deployment.kassa
    const times = Array.from({ length: 1 + (step.size % 3) })
    const calls = times.map(() =>
      call(`${url}/callbacks/${order?.accountId}`, { body: order?.reference ?? 'nobody' }),
    )
    await patiently(Promise.all(calls))
  },
  async lookUp(history: History, { at }: Choice) {
    const payment = chosen(history, at)
    if (payment) await patiently(lookUp(history.deployment.kassa.url, payment.seller.shop, payment.id))
  },
  refund: (history: History, step: Choice) => ask(history, step, 'refunds'),
  capture: (history: History, step: Choice) => ask(history, step, 'capture'),
  void: (history: History, step: Choice) => ask(history, step, 'void'),
  work: (history: History) => sweepAll(history),
  /** An operator decides about operations that wait for a person. */
  async decide(history: History, { at, size }: Choice) {
    const payment = chosen(history, at)
    if (!payment) return
    const { ctx, shop } = payment.seller
    const operations = await listPaymentOperations(ctx.db, shop.merchantId, payment.id)
    const waiting = operations.find(({ status }) => status === 'requires_operator_review')
    const decision = { actor: 'tester', why: null }
    const as = size % 2 === 0 ? 'succeeded' : 'failed'
    if (waiting) await resolveOperation(ctx, waiting.id, as, decision).catch(() => {})
  },
  /** An operator decides about a payment with an unknown outcome, by what the bank's page shows. */
  async clear(history: History, step: Choice) {
    const payment = chosen(history, step.at)
    const order = payment && (await ordersOf(history, payment)).at(-1)
    const truth = order?.bank.ledger.orders.get(order.reference)
    const as = DECIDED_STATUSES.find((each) => truth && each === statusOf(truth))
    if (payment && as)
      await resolvePayment(payment.seller.ctx, payment.id, as, { actor: 'tester', why: null }).catch(() => {})
  },
  async bend(history: History, { at, size }: Choice) {
    bankAt(history, at).ledger.bends.push(BENDS[size % BENDS.length] ?? 'lose')
  },
  async trick(history: History, { at, size }: Choice) {
    bankAt(history, at).tricks.push(TRICKS[size % TRICKS.length] ?? 'late')
  },
  async opening(history: History, { at, size }: Choice) {
    bankAt(history, at).openings.push(OPENINGS[size % OPENINGS.length] ?? 'late')
  },
  /** The bank acts on its next write, but later. */
  async slow(history: History, { at }: Choice) {
    bankAt(history, at).slow = 1
  },
  async away(history: History, { at, size }: Choice) {
    bankAt(history, at).ledger.away = size % 2 === 0
  },
  /** The bank ends its pending refunds: it does them or drops them. */
  async settle(history: History, { at, size }: Choice) {
    await settle(bankAt(history, at), size % 2 === 0)
  },
  async rotate(history: History, { at, size }: Choice) {
    const { sellers } = history.deployment
    await rotate(sellers[at % sellers.length] as Seller, `secret ${size}`).catch(() => {})
  },
  async retire(history: History, { at }: Choice) {
    const { sellers } = history.deployment
    await retire(sellers[at % sellers.length] as Seller).catch(() => {})
  },
  async jump(history: History, { size }: Choice) {
    const jumps = [1, 2, 11, 11, 95, 25 * 60]
    await advance(history, jumps[size % jumps.length] ?? 0)
  },
} satisfies Record<string, (history: History, step: Choice) => Promise<void>>
