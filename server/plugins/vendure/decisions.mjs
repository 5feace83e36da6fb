/**
 * Brings an order to what Kassa says of a payment. An event and a return only cause a look-up. The decision is made under the order's lock,
 * on a look-up that began after every earlier decision, so an event that comes late or twice changes nothing.
 */
import {
  ChannelService,
  HistoryService,
  OrderService,
  Payment,
  Refund,
  RequestContextService,
} from '@vendure/core'
import { actOf, doubtOf, toMajor } from 'kassa-client'
import { KassaBook } from './book.mjs'
import { withFact } from './deciding.mjs'
import { injectable } from './injectable.mjs'
import { clientOf } from './settings.mjs'
import { say } from './texts.mjs'

const TURNS_MAX = 20
const UNKNOWN = 'payment_not_found'
/** An event can be faster than the row of its payment. After this time the payment is not of this shop's making. */
const STRANGE_AFTER_MS = 10 * 60_000
const WITHOUT_MONEY = ['failed', 'cancelled', 'expired']
const MONEY = ['authorized', 'paid']
/** What a shop does while the buyer may still pay, or may have paid. */
const OPEN = ['wait', 'hold']

const sumOf = (refunds, state) =>
  refunds.filter((each) => each.state === state).reduce((sum, { total }) => sum + total, 0)

export class KassaDecisions {
  /**
   * @param {KassaBook} book
   * @param {OrderService} orderService
   * @param {HistoryService} historyService
   * @param {RequestContextService} contexts
   * @param {ChannelService} channels
   */
  constructor(book, orderService, historyService, contexts, channels) {
    this.book = book
    this.orderService = orderService
    this.historyService = historyService
    this.contexts = contexts
    this.channels = channels
    /** @type {Promise<void> | null} */
    this.running = null
    this.again = false
  }

  /** Decides every payment of which an event has told, in one run at a time. A call during a run makes it begin again at its end. */
  decideTold() {
    this.again = true
    this.running ??= this.#runTold()
    return this.running
  }

  async #runTold() {
    try {
      while (this.again) {
        this.again = false
        for (const paymentId of await this.book.listTold()) await this.#tryTold(paymentId)
      }
    } finally {
      this.running = null
    }
  }

  /** What could not be decided, or has to wait for the bank, is tried again after a pause that grows. An event ends the pause. */
  async #tryTold(paymentId) {
    const { pauses } = this.book
    if (!pauses.isOver(paymentId)) return
    pauses.grow(paymentId)
    try {
      await this.decide(paymentId, { onlyTold: true })
      if (!(await this.book.isTold(paymentId))) pauses.end(paymentId)
    } catch (error) {
      this.book.warn(`${paymentId} is tried again: ${error.message}`)
    }
  }

  /** Returns the payment as Kassa has it, or null. `onlyTold`: do nothing if no event is waiting. */
  async decide(paymentId, { onlyTold = false } = {}) {
    for (let turn = 0; turn < TURNS_MAX; turn++) {
      const before = await this.book.find(paymentId)
      if (!before || (onlyTold && before.told === before.done)) return null
      if (before.method === null) return this.#refuseStranger(before)
      const ctx = await this.#contextOf(before)
      const facts = await this.#lookUp(ctx, before)
      if (facts === null) {
        await this.#endUnknown(ctx, before)
        return null
      }
      const isDecided = await this.book.connection.withTransaction(ctx, async (tx) => {
        await this.book.lock(tx, before.orderCode)
        const row = await this.book.find(paymentId, tx)
        if (row.decisions !== before.decisions) return false
        await this.book.makeStale(tx, paymentId)
        const { isWhole, ...changes } = await this.#apply(tx, row, facts)
        await this.book.rows(tx).update({ paymentId }, { ...changes, ...(isWhole && { done: before.told }) })
        return true
      })
      if (isDecided) return facts.payment
    }
    throw new Error(`${paymentId} changed ${TURNS_MAX} times while it was decided`)
  }

  async #contextOf({ channelId, currency }) {
    const channel = await this.channels.findOne(await this.contexts.create({ apiType: 'admin' }), channelId)
    if (!channel) throw new Error(`the channel ${channelId} is gone`)
    return this.contexts.create({ apiType: 'admin', channelOrToken: channel, currencyCode: currency })
  }

  /**
   * Returns null if Kassa does not know the payment. The operations are asked for first, so the payment already has in it what they have
   * done.
   */
  async #lookUp(ctx, row) {
    const { paymentId, orderCode } = row
    const found = await this.book.methodOf(row)
    if (!found) throw new Error(`the payment method ${row.method} is gone`)
    const kassa = clientOf(found)
    const order = await this.orderService.findOneByCode(ctx, orderCode)
    const payments = order ? await this.orderService.getOrderPayments(ctx, order.id) : []
    const open = payments
      .filter(({ transactionId }) => transactionId === paymentId)
      .flatMap(({ refunds }) => refunds.filter(({ state }) => state === 'Pending'))
    const operations = new Map()
    for (const { transactionId } of open)
      operations.set(transactionId, resultOf(await kassa.lookUpOperation(transactionId)).status)
    const answer = await kassa.lookUp(paymentId)
    if (!answer.ok && answer.error.code === UNKNOWN) return null
    return { payment: resultOf(answer), operations }
  }

  /** Returns what changes in the row. `isWhole`: whether nothing is left to do. */
  async #apply(ctx, row, { payment, operations }) {
    const order = await this.orderService.findOneByCode(ctx, row.orderCode)
    if (!order) return { status: payment.status, isWhole: true }
    const payments = await this.orderService.getOrderPayments(ctx, order.id)
    const ours = payments.filter(({ transactionId }) => transactionId === row.paymentId)
    const booked = ours.find(
      ({ state }) => state === 'Settled' || state === 'Authorized' || state === 'Cancelled',
    )
    const about = { ctx, order, row, payment, payments, operations }
    const ended = row.ended || payment.status === 'authorized' || !OPEN.includes(actOf(payment.status))
    const note = booked ? await this.#goOn(about, booked) : await this.#begin(about, ours.length > 0)
    const isNew = note !== null && note !== WAITS && note !== row.note
    if (isNew) await this.#tellStaff(ctx, order, note)
    return { ended, status: payment.status, isWhole: note !== WAITS, ...(isNew && { note }) }
  }

  /** A payment that the order does not have yet. Returns a note to the staff, or null. */
  async #begin(about, isDeclined) {
    const { ctx, order, row, payment } = about
    const { status } = payment
    if (WITHOUT_MONEY.includes(status)) return row.closing || isDeclined ? null : this.#decline(about)
    if (actOf(status) === 'hold') return this.#say(about, 'unclear', { why: status })
    if (!MONEY.includes(status))
      return actOf(status) === 'wait' ? null : this.#say(about, 'doubt', { why: status })
    const asked = { amountMinor: row.amountMinor, currency: row.currency, merchantOrderId: row.orderCode }
    // Money that is held is compared like money that has come.
    const taken =
      status === 'paid' ? payment : { ...payment, status: 'paid', capturedMinor: payment.amountMinor }
    const doubt = doubtOf(taken, asked)
    if (doubt) return this.#say(about, 'doubt', { why: doubt })
    if (order.state === 'AddingItems')
      await this.orderService.transitionToState(ctx, order.id, 'ArrangingPayment')
    const due = order.totalWithTax - coveredBy(about.payments)
    const fact = {
      amount: this.book.fromKassa(taken.capturedMinor, payment.currency),
      state: status === 'paid' ? 'Settled' : 'Authorized',
      transactionId: row.paymentId,
      metadata: { kassa: row.paymentId },
    }
    const error = await this.#add(about, fact)
    if (error) return this.#say(about, 'second', { why: error })
    return fact.amount === due
      ? null
      : this.#say(about, 'difference', { why: this.#sum(due, payment.currency) })
  }

  /** The order shows an attempt that brought no money. It can still be paid. */
  async #decline(about) {
    const { order, row, payment } = about
    if (order.state !== 'ArrangingPayment') return null
    await this.#add(about, {
      amount: this.book.fromKassa(row.amountMinor, row.currency),
      state: 'Declined',
      transactionId: row.paymentId,
      errorMessage: payment.status,
      metadata: { kassa: row.paymentId },
    })
    return null
  }

  /** Returns the refusal of Vendure, or null. A coupon that is used up meanwhile is taken off by the first call. */
  async #add({ ctx, order, row }, fact) {
    for (const isLast of [false, true]) {
      const input = { method: row.method, metadata: {} }
      const result = await withFact(fact, () => this.orderService.addPaymentToOrder(ctx, order.id, input))
      const code = result.errorCode ?? null
      if (code !== 'COUPON_REMOVED_DURING_CHECKOUT_ERROR' || isLast) return code
    }
    return null
  }

  /** A payment that the order has. Returns a note to the staff, or null. */
  async #goOn(about, booked) {
    const { ctx, payment } = about
    const { status } = payment
    // A capture brings another event. Until then its money must not look like money that was returned.
    if (status === 'authorized' && booked.state !== 'Cancelled') return null
    if (booked.state === 'Settled') return this.#bookReturns(about, booked)
    if (booked.state === 'Cancelled')
      return payment.capturedMinor > payment.refundedMinor && status !== 'authorized'
        ? this.#say(about, 'second', { why: 'Cancelled' })
        : null
    if (WITHOUT_MONEY.includes(status) || status === 'reversed') {
      await withFact({}, () => this.orderService.cancelPayment(ctx, booked.id))
      return null
    }
    if (actOf(status) === 'hold' || actOf(status) === 'wait')
      return this.#say(about, 'unclear', { why: status })
    return this.#settle(about, booked)
  }

  async #settle(about, booked) {
    const { ctx, payment } = about
    const captured = this.book.fromKassa(payment.capturedMinor, payment.currency)
    const authorized = booked.amount
    if (captured !== authorized) {
      booked.amount = captured
      await this.book.connection.getRepository(ctx, Payment).update({ id: booked.id }, { amount: captured })
    }
    await withFact({}, () => this.orderService.settlePayment(ctx, booked.id))
    const note = await this.#bookReturns(about, booked)
    if (note !== null || captured === authorized) return note
    return this.#say(about, 'difference', { why: this.#sum(authorized, payment.currency) })
  }

  /** Ends the refunds that were under way, and books what was returned from outside. */
  async #bookReturns(about, booked) {
    const { ctx, payment, operations } = about
    for (const { id, state, transactionId } of booked.refunds ?? []) {
      const ended = state === 'Pending' ? END_OF_REFUND[operations.get(transactionId)] : undefined
      if (ended) await this.orderService.transitionRefundToState(ctx, id, ended, transactionId)
    }
    const refunds = await this.book.refundsOf(ctx, booked.id)
    if (refunds.some(({ state }) => state === 'Pending')) return WAITS
    const returned =
      booked.amount -
      this.book.fromKassa(payment.capturedMinor, payment.currency) +
      this.book.fromKassa(payment.refundedMinor, payment.currency)
    const outside = returned - sumOf(refunds, 'Settled')
    if (outside > 0) await this.#bookOutside(about, booked, outside)
    if (outside < 0) return this.#say(about, 'lessReturned', { sum: this.#sum(returned, payment.currency) })
    return payment.status === 'disputed' ? this.#say(about, 'unclear', { why: payment.status }) : null
  }

  async #bookOutside({ ctx, row, payment }, booked, total) {
    const refund = await this.book.connection.getRepository(ctx, Refund).save(
      new Refund({
        payment: booked,
        method: booked.method,
        reason: say(ctx.languageCode, 'outside'),
        state: 'Pending',
        metadata: { kassa: payment.status },
        total,
        items: 0,
        shipping: 0,
        adjustment: 0,
      }),
    )
    await this.orderService.transitionRefundToState(ctx, refund.id, 'Settled', row.paymentId)
  }

  /** No later look-up can know it either, so a person has to look. The payment stays open here, because it may have been paid elsewhere. */
  async #endUnknown(ctx, { paymentId, orderCode, told, note: before }) {
    const order = await this.orderService.findOneByCode(ctx, orderCode)
    const note = say(ctx.languageCode, 'unknownToKassa', { id: paymentId })
    if (order && note !== before) await this.#tellStaff(ctx, order, note)
    await this.book.rows().update({ paymentId }, { done: told, note })
  }

  async #refuseStranger(row) {
    if (Date.now() - row.createdAt.getTime() < STRANGE_AFTER_MS) return null
    const ctx = await this.contexts.create({ apiType: 'admin' })
    const order = await this.orderService.findOneByCode(ctx, row.orderCode)
    const why = 'this shop has not created it'
    if (order) await this.#tellStaff(ctx, order, say(ctx.languageCode, 'doubt', { id: row.paymentId, why }))
    await this.book.rows().update({ paymentId: row.paymentId }, { done: row.told })
    return null
  }

  coveredBy(payments) {
    return coveredBy(payments)
  }

  #say({ ctx, payment }, name, values) {
    const minor = payment.capturedMinor || payment.amountMinor
    const sum = `${toMajor(minor, payment.currency)} ${payment.currency}`
    return say(ctx.languageCode, name, { id: payment.id, sum, ...values }).slice(0, 500)
  }

  #sum(value, currency) {
    return `${toMajor(this.book.toKassa(value, currency), currency)} ${currency}`
  }

  async #tellStaff(ctx, order, note) {
    this.book.warn(`order ${order.code}: ${note}`)
    const type = /** @type {any} */ ('ORDER_NOTE')
    const entry = { ctx, orderId: order.id, type, data: { note } }
    await this.historyService.createHistoryEntryForOrder(entry, false)
  }
}
injectable(KassaDecisions, KassaBook, OrderService, HistoryService, RequestContextService, ChannelService)

/** A refund is under way, so the returns cannot be told apart yet. */
const WAITS = Symbol('waits')
const END_OF_REFUND = { succeeded: 'Settled', failed: 'Failed', blocked: 'Failed' }

/** As Vendure counts it. */
function coveredBy(payments) {
  const alive = payments.filter(({ state }) => !['Error', 'Declined', 'Cancelled'].includes(state))
  return alive.reduce((sum, { amount, refunds }) => sum + amount - sumOf(refunds ?? [], 'Settled'), 0)
}

function resultOf(answer) {
  if (!answer.ok) throw new Error(`${answer.error.message} ${answer.error.whatToDo}`)
  return answer.value
}
