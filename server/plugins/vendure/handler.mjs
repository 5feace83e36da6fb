/** The payment method: its settings, and what the staff asks of Kassa by Vendure's own buttons. */
import { PaymentMethodHandler, UserInputError } from '@vendure/core'
import { keyOf } from 'kassa-client'
import { KassaBook } from './book.mjs'
import { factNow } from './deciding.mjs'
import { clientOf, HANDLER_CODE } from './settings.mjs'
import { localized, say } from './texts.mjs'

const SECRET_FIELD = { component: 'password-form-input' }
const field = (name, ui) => ({
  type: /** @type {const} */ ('string'),
  required: true,
  label: localized(name),
  description: localized(`${name}Help`),
  ...(ui && { ui }),
})

/** Nothing is left to wait for. */
const isFailed = ({ status }) => status === 'failed' || status === 'blocked'

let book

export const kassaHandler = new PaymentMethodHandler({
  code: HANDLER_CODE,
  description: localized('method'),
  args: {
    url: field('url'),
    token: field('token', SECRET_FIELD),
    webhookSecret: field('webhookSecret', SECRET_FIELD),
  },

  init(injector) {
    book = injector.get(KassaBook)
  },

  /** Books what Kassa has said. A buyer who calls `addPaymentToOrder` gets nothing booked. */
  createPayment(ctx, _order, amount) {
    const fact = factNow()
    return fact ?? { amount, state: 'Error', errorMessage: say(ctx.languageCode, 'onlyByKassa') }
  },

  settlePayment: (ctx, order, payment, _args, method) =>
    operate(ctx, order, payment, (lang) =>
      carryOut(lang, clientOf(method), payment.transactionId, {
        ask: (kassa, id) => kassa.capture(id, null, { key: keyOf('capture', id) }),
        isDone: (status) => status === 'paid',
      }),
    ),

  cancelPayment: (ctx, order, payment, _args, method) =>
    operate(ctx, order, payment, (lang) =>
      carryOut(lang, clientOf(method), payment.transactionId, {
        ask: (kassa, id) => kassa.void(id, { reason: say(lang, 'changed') }, { key: keyOf('void', id) }),
        isDone: (status) => status === 'reversed' || status === 'cancelled',
      }),
    ),

  async createRefund(ctx, input, amount, order, payment, _args, method) {
    await hold(ctx, order, payment)
    const refunds = await book.refundsOf(ctx, payment.id)
    const sumOf = (state) =>
      refunds.filter((each) => each.state === state).reduce((sum, each) => sum + each.total, 0)
    const [settled, pending] = [sumOf('Settled'), sumOf('Pending')]
    const meanwhile = () => new UserInputError(say(ctx.languageCode, 'refundedMeanwhile'))
    // The refund of which Kassa did not answer may be booked by now, and this is the same wish again.
    const unanswered = (await book.find(payment.transactionId, ctx))?.unanswered ?? null
    if (unanswered !== null && unanswered !== settled + pending) {
      book.noteUnansweredLater(payment.transactionId, null)
      throw meanwhile()
    }
    const failed = refunds.filter(({ state }) => state === 'Failed').length
    // Pressed again after a lost answer, this is the same key. After a refund that was booked, it is another.
    const key = keyOf('refund', payment.transactionId, settled, pending, failed, amount)
    const request = {
      amountMinor: book.toKassa(amount, order.currencyCode),
      // Kassa refuses another one.
      currency: /** @type {any} */ (order.currencyCode),
      reason: (input.reason || say(ctx.languageCode, 'returned')).slice(0, 240),
    }
    // Kassa counts a refund that is under way as refunded too.
    const ifRefundedMinor = book.toKassa(settled + pending, order.currencyCode)
    const answer = await clientOf(method).refund(payment.transactionId, request, { key, ifRefundedMinor })
    if (!answer.ok) {
      if (answer.error.retryable) book.noteUnansweredLater(payment.transactionId, settled + pending)
      if (answer.error.refundedMinor === null) throw refusal(ctx.languageCode, answer.error)
      book.wakeLater(payment.transactionId)
      throw meanwhile()
    }
    if (unanswered !== null)
      await book.rows(ctx).update({ paymentId: payment.transactionId }, { unanswered: null })
    const { operation } = answer.value
    const state = operation.status === 'succeeded' ? 'Settled' : isFailed(operation) ? 'Failed' : 'Pending'
    return {
      state,
      transactionId: operation.id,
      metadata: { status: operation.statusReason ?? operation.status },
    }
  },
})

const refusal = (languageCode, { message, whatToDo }) =>
  new UserInputError(say(languageCode, 'refused', { why: `${message} ${whatToDo}` }))

/** Nothing else decides about the payment until Vendure has stored what Kassa answers. */
async function hold(ctx, order, payment) {
  await book.lock(ctx, order.code)
  await book.makeStale(ctx, payment.transactionId)
}

/** What Kassa has already done needs no call. Else the order is locked until Vendure has stored the result. */
async function operate(ctx, order, payment, work) {
  if (factNow()) return { success: true }
  await hold(ctx, order, payment)
  const errorMessage = await work(ctx.languageCode)
  // The state stays, so that the button can be pressed again. The key is then the same.
  return errorMessage === null ? { success: true } : { success: false, state: payment.state, errorMessage }
}

/** Returns null, or why it is not done yet. An operation that was done before counts as done. */
async function carryOut(languageCode, kassa, paymentId, { ask, isDone }) {
  const answer = await ask(kassa, paymentId)
  if (answer.ok && answer.value.operation.status === 'succeeded') return null
  const now = await kassa.lookUp(paymentId)
  if (now.ok && isDone(now.value.status)) return null
  if (!answer.ok)
    return say(languageCode, 'refused', { why: `${answer.error.message} ${answer.error.whatToDo}` })
  const { operation } = answer.value
  if (!isFailed(operation)) return say(languageCode, 'continues')
  return say(languageCode, 'refused', { why: operation.statusReason ?? operation.status })
}
