/** Opens a payment at Kassa for what is still due, one at a time for each order. */
import {
  ActiveOrderService,
  ConfigService,
  ForbiddenError,
  OrderService,
  PaymentMethodService,
  UserInputError,
} from '@vendure/core'
import { actOf, keyOf } from 'kassa-client'
import { KassaBook } from './book.mjs'
import { KassaDecisions } from './decisions.mjs'
import { injectable } from './injectable.mjs'
import { clientOf, usesKassa } from './settings.mjs'
import { say } from './texts.mjs'

const MONEY = ['paid', 'authorized']
/** A page that asks again within this time gets the same answer. */
const SAME_LOOK_MS = 2_000
/** The buyer may still pay it. A row without a method was made by an event that was faster than its payment's row. */
const isOpen = ({ ended, method }) => !ended && method !== null

export class KassaAttempts {
  #looks = new Map()

  /**
   * @param {KassaBook} book
   * @param {KassaDecisions} decisions
   * @param {ActiveOrderService} activeOrders
   * @param {OrderService} orderService
   * @param {PaymentMethodService} paymentMethods
   * @param {ConfigService} configService
   */
  constructor(book, decisions, activeOrders, orderService, paymentMethods, configService) {
    this.book = book
    this.decisions = decisions
    this.activeOrders = activeOrders
    this.orderService = orderService
    this.paymentMethods = paymentMethods
    this.configService = configService
  }

  /** Returns where to send the buyer. */
  async begin(ctx, { returnUrl, paymentMethodCode = null }) {
    const refuse = (name, values) => new UserInputError(say(ctx.languageCode, name, values))
    const active = await this.activeOrders.getActiveOrder(ctx, undefined)
    if (active?.state !== 'ArrangingPayment') throw refuse('noOrder')
    const method = await this.#methodFor(ctx, active, paymentMethodCode)
    if (!method) throw refuse('noMethod')
    const currency = active.currencyCode
    const amountMinor = this.book.toKassa(await this.#dueOf(ctx, active), currency)
    if (amountMinor <= 0) throw refuse('nothingDue')
    const wanted = { method: method.code, amountMinor, currency }
    const isWanted = (row) => Object.keys(wanted).every((name) => row[name] === wanted[name])
    const rows = await this.book.ofOrder(active.code)
    // A row that an event has made first is not counted: its payment may be of the other one of two presses.
    const attempt = rows.filter((row) => row.method !== null).length
    for (const row of rows.filter(isOpen)) {
      const now = await this.decisions.decide(row.paymentId).catch((error) => {
        throw refuse('refused', { why: error.message })
      })
      if (now === null) throw refuse('underWay')
      const isPayable = actOf(now.status) === 'wait' && now.status !== 'authorized' && !now.processingSince
      if (isPayable && isWanted(row)) return { url: row.checkoutUrl, paymentId: row.paymentId }
      if (isPayable) await this.close(row)
      const after = await this.book.find(row.paymentId)
      if (MONEY.includes(after.status)) throw refuse('nothingDue')
      if (!after.ended || actOf(after.status) === 'hold') throw refuse('underWay')
    }
    return this.#create(ctx, active, { method, wanted, returnUrl, refuse, attempt })
  }

  async #create(ctx, order, { method, wanted, returnUrl, refuse, attempt }) {
    const { amountMinor, currency } = wanted
    // The same for two presses at once, and after a crash. After an attempt that ended it is another.
    const key = keyOf('pay', order.code, attempt, amountMinor, currency)
    const request = {
      merchantOrderId: order.code,
      amountMinor,
      currency,
      returnUrl,
      metadata: { source: 'vendure' },
    }
    const made = await clientOf(method).createPayment(request, { key })
    if (!made.ok) throw refuse('refused', { why: `${made.error.message} ${made.error.whatToDo}` })
    const { id: paymentId, checkoutUrl } = made.value
    await this.book.keep({
      paymentId,
      orderCode: order.code,
      channelId: String(ctx.channelId),
      checkoutUrl,
      ...wanted,
    })
    return { url: checkoutUrl, paymentId }
  }

  async #methodFor(ctx, order, code) {
    const quotes = await this.paymentMethods.getEligiblePaymentMethods(ctx, order)
    const eligible = quotes.filter((quote) => quote.isEligible).map((quote) => quote.code)
    const { items } = await this.paymentMethods.findAll(ctx, { filter: { enabled: { eq: true } } })
    return items.find(
      (each) => usesKassa(each) && eligible.includes(each.code) && (code === null || each.code === code),
    )
  }

  async #dueOf(ctx, { id }) {
    const order = await this.orderService.findOne(ctx, id)
    if (!order) throw new UserInputError(say(ctx.languageCode, 'noOrder'))
    const payments = await this.orderService.getOrderPayments(ctx, id)
    return order.totalWithTax - this.decisions.coveredBy(payments)
  }

  /** Closes what nobody has paid, because the order has changed. What was paid meanwhile is booked. */
  async closeAll(orderCode) {
    for (const row of (await this.book.ofOrder(orderCode)).filter(isOpen)) await this.close(row)
  }

  async close(row) {
    const { paymentId } = row
    const found = await this.book.methodOf(row)
    if (!found) return
    // Its event may come before the answer, and must not look like an attempt of the buyer that failed.
    await this.book.rows().update({ paymentId }, { closing: true })
    const reason = say('en', 'changed')
    await clientOf(found).cancel(paymentId, { reason }, { key: keyOf('close', paymentId) })
    await this.decisions.decide(paymentId)
  }

  /** Looks up the payments of an order that are open, when its buyer has come back. Returns how it stands. */
  async refresh(ctx, orderCode) {
    if (!(await this.#maySee(ctx, orderCode))) throw new ForbiddenError()
    const now = Date.now()
    for (const [code, { at }] of this.#looks) if (now - at >= SAME_LOOK_MS) this.#looks.delete(code)
    const look = this.#looks.get(orderCode) ?? { at: now, outcome: this.#look(orderCode) }
    this.#looks.set(orderCode, look)
    return look.outcome
  }

  /** The buyer whose cart it is, and whoever the shop's own strategy lets read an order by its code. An unknown code looks the same. */
  async #maySee(ctx, orderCode) {
    const active = await this.activeOrders.getActiveOrder(ctx, undefined)
    if (active?.code === orderCode) return true
    const order = await this.orderService.findOneByCode(ctx, orderCode, ['customer', 'customer.user'])
    return Boolean(
      order && (await this.configService.orderOptions.orderByCodeAccessStrategy.canAccessOrder(ctx, order)),
    )
  }

  async #look(orderCode) {
    for (const row of (await this.book.ofOrder(orderCode)).filter(isOpen))
      await this.decisions.decide(row.paymentId)
    const statuses = (await this.book.ofOrder(orderCode)).map(({ status }) => status ?? 'created')
    if (statuses.some((status) => MONEY.includes(status))) return 'PAID'
    if (statuses.some((status) => actOf(status) === 'hold')) return 'UNKNOWN'
    return statuses.some((status) => actOf(status) === 'wait') ? 'OPEN' : 'CLOSED'
  }
}
injectable(
  KassaAttempts,
  KassaBook,
  KassaDecisions,
  ActiveOrderService,
  OrderService,
  PaymentMethodService,
  ConfigService,
)
