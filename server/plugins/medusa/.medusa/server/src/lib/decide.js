/**
 * Brings a cart or an order to what Kassa says of a payment. An event, a return and the completion of a cart only cause a look-up, and one
 * decision is made at a time, so an event that comes late or twice changes nothing.
 */
const { ContainerRegistrationKeys, Modules } = require('@medusajs/framework/utils')
const {
  capturePaymentWorkflowId,
  processPaymentWorkflowId,
  refundPaymentWorkflowId,
} = require('@medusajs/medusa/core-flows')
const { actOf } = require('kassa-client')
const { alone, withFact } = require('./facts')
const { majorOf, minorOf, textOf } = require('./money')
const news = require('./news')
const pauses = require('./pauses')
const { faultOf, MONEY, WITHOUT_MONEY } = require('./statuses')

const LOCK_SECONDS = 60
const UNKNOWN = 'payment_not_found'

/** @type {Promise<void> | null} */
let running = null
let again = false

/** Decides everything that events have told of, in one run at a time. A call during a run makes the run begin again at its end. */
exports.decideTold = (container) => {
  again = true
  running ??= runTold(container)
  return running
}

async function runTold(container) {
  try {
    while (again) {
      again = false
      for (const row of await news.listTold(container)) await tryTold(container, row)
    }
  } finally {
    running = null
  }
}

/** What could not be decided is tried again after a pause that grows. An event ends the pause. */
async function tryTold(container, { id, session_id }) {
  if (!pauses.isOver(id)) return
  pauses.grow(id)
  try {
    await exports.decide(container, { id, sessionId: session_id })
    pauses.end(id)
  } catch (error) {
    container.resolve(ContainerRegistrationKeys.LOGGER).warn(`Kassa: ${id}: ${error.message}`)
    await news.putLast(container, id)
  }
}

/** Returns the payment as Kassa has it. */
exports.decide = (container, { id, sessionId }) =>
  container.resolve(Modules.LOCKING).execute(
    [`kassa:${id}`],
    () =>
      alone(id, async () => {
        const before = await news.find(container, id)
        const answer = await container.resolve('kassa').kassa.lookUp(id)
        if (!answer.ok && answer.error.code === UNKNOWN && before)
          await endUnknown(container, before, sessionId)
        if (!answer.ok) {
          const { code, message, whatToDo } = answer.error
          throw Object.assign(new Error(`${message} ${whatToDo}`), { isUnknown: code === UNKNOWN })
        }
        const payment = answer.value
        const note = await apply({ container, payment, sessionId })
        if (!before) return payment
        const isNew = note !== null && note !== before.note
        if (isNew) await tellStaff(container, sessionId, note)
        await news.finish(container, id, { done: before.told, ...(isNew && { note }) })
        return payment
      }),
    { timeout: LOCK_SECONDS },
  )

/** No later look-up can know it either, so a person has to look. */
async function endUnknown(container, { id, told, note: before }, sessionId) {
  const note = `Kassa does not know the payment ${id}. Was Medusa given the token of another merchant or another Kassa? Look there before the buyer pays again.`
  if (note !== before) await tellStaff(container, sessionId, note)
  await news.finish(container, id, { done: told, note })
}

/** Returns a note to the staff, or null. */
async function apply(about) {
  const session = await readSession(about)
  const { payment } = about
  const { status } = payment
  const has = textOf(payment.capturedMinor || payment.amountMinor, payment.currency)
  if (!session) {
    const isMoney = MONEY.includes(status) || actOf(status) === 'take_back'
    return isMoney
      ? `Kassa payment ${payment.id} has brought ${has} for a cart that has changed meanwhile. Return it in Kassa.`
      : null
  }
  if (actOf(status) === 'hold')
    return `Kassa payment ${payment.id} is ${status}. Do not ask the buyer to pay again until Kassa knows more.`
  if (session.payment) return goOn(about, session)
  if (WITHOUT_MONEY.includes(status)) return endSession(about, session)
  if (!MONEY.includes(status))
    return actOf(status) === 'wait'
      ? null
      : `Kassa payment ${payment.id} is ${status}, and was not booked. Look at it.`
  const fault = faultOf(payment, session.data)
  if (fault)
    return `Kassa payment ${payment.id} was not booked: ${fault}. Look at it in Kassa before you deliver.`
  return take(about, session)
}

/** Without the sessions that a change of the cart has deleted. */
async function readSession({ container, sessionId }) {
  const [session] = await container
    .resolve(Modules.PAYMENT)
    .listPaymentSessions(
      { id: [sessionId] },
      { relations: ['payment', 'payment.captures', 'payment.refunds'] },
    )
  return session ?? null
}

/** Books the money, and makes an order of the cart. */
async function take(about, session) {
  const { container, payment } = about
  const minor = payment.status === 'paid' ? payment.capturedMinor : payment.amountMinor
  const action = payment.status === 'paid' ? 'captured' : 'authorized'
  const data = { session_id: session.id, amount: majorOf(minor, payment.currency) }
  await container.resolve(Modules.WORKFLOW_ENGINE).run(processPaymentWorkflowId, { input: { action, data } })
  const cart = await cartOf(about, session)
  if (cart && !(await orderOf(about, cart)))
    return `Kassa payment ${payment.id} has brought ${textOf(minor, payment.currency)}, and no order could be made of its cart ${cart}.`
  return null
}

async function endSession({ container, payment }, session) {
  const status = payment.status === 'failed' ? 'error' : 'canceled'
  if (session.status === status) return null
  const { id, data, amount, currency_code } = session
  await withFact({}, () =>
    container.resolve(Modules.PAYMENT).updatePaymentSession({ id, data, amount, currency_code, status }),
  )
  return null
}

/** A payment that Medusa has already. */
async function goOn(about, session) {
  const { container, payment } = about
  const { status } = payment
  const captured = sumOf(session.payment.captures, payment.currency)
  if (session.payment.canceled_at)
    return MONEY.includes(status)
      ? `Kassa payment ${payment.id} is ${status}, and was cancelled here. Look at it.`
      : null
  if (captured === 0) {
    if (status === 'authorized')
      return (await isOrdered(about, session)) ? noteCanceled(about, session) : take(about, session)
    if (WITHOUT_MONEY.includes(status) || status === 'reversed') {
      await withFact({}, () => container.resolve(Modules.PAYMENT).cancelPayment(session.payment.id))
      return null
    }
    const note = await withFact({}, () =>
      take({ ...about, payment: { ...payment, status: 'paid' } }, session),
    )
    return note ?? (await bookReturns(about, await readSession(about))) ?? noteCanceled(about, session)
  }
  if (status === 'paid' && !(await isOrdered(about, session))) return take(about, session)
  // Medusa stores a capture before it asks for it, so this one is under way. Its end brings another event.
  if (status === 'authorized') return null
  if (captured < payment.capturedMinor) return bookRest(about, session, captured)
  return bookReturns(about, session)
}

/** Medusa goes on with the cancellation of an order whatever its provider says, so there may be money that nobody looks for. */
async function noteCanceled(about, session) {
  const { id, status, capturedMinor, refundedMinor } = about.payment
  const cart = await cartOf(about, session)
  const order = cart && (await orderOf(about, cart))
  const [found] = order ? await graph(about.container, 'order', ['id', 'status'], { id: order }) : []
  const isMoney = status === 'authorized' || capturedMinor > refundedMinor
  return found?.status === 'canceled' && isMoney
    ? `Kassa payment ${id} is ${status}, and its order was cancelled. Let the money go or return it in Kassa.`
    : null
}

/** Kassa has taken more than Medusa knows of: code of the shop has captured a part, and Kassa takes all that is held. */
async function bookRest(about, { payment: own }, captured) {
  const { container, payment } = about
  const { currency } = payment
  const rest = payment.capturedMinor - captured
  if (payment.capturedMinor > minorOf(own.raw_amount ?? own.amount, currency))
    return `Kassa payment ${payment.id} has brought ${textOf(payment.capturedMinor, currency)}, more than the order asked for. Look at it.`
  const input = { payment_id: own.id, amount: majorOf(rest, currency) }
  await withFact({}, () =>
    container.resolve(Modules.WORKFLOW_ENGINE).run(capturePaymentWorkflowId, { input }),
  )
  const note = await bookReturns(about, await readSession(about))
  return (
    note ??
    `Kassa payment ${payment.id}: a part was captured, and Kassa takes all that is held. The other ${textOf(rest, currency)} are booked too. Refund what you did not want to take.`
  )
}

/** Books what was returned from outside. */
async function bookReturns({ container, payment }, { payment: own }) {
  const { currency } = payment
  const returned = sumOf(own.captures, currency) - payment.capturedMinor + payment.refundedMinor
  const outside = returned - sumOf(own.refunds, currency)
  if (outside < 0)
    return `Kassa payment ${payment.id}: only ${textOf(returned, currency)} have really been returned. A refund has failed after all.`
  if (outside === 0) return payment.status === 'disputed' ? `Kassa payment ${payment.id} is disputed.` : null
  const input = { payment_id: own.id, amount: majorOf(outside, currency), note: 'Returned outside of Medusa' }
  await withFact({}, () => container.resolve(Modules.WORKFLOW_ENGINE).run(refundPaymentWorkflowId, { input }))
  return null
}

const sumOf = (rows, currency) =>
  (rows ?? []).reduce((sum, { raw_amount, amount }) => sum + minorOf(raw_amount ?? amount, currency), 0)

const graph = async (container, entity, fields, filters) =>
  (await container.resolve(ContainerRegistrationKeys.QUERY).graph({ entity, fields, filters })).data

async function cartOf({ container }, { payment_collection_id }) {
  const [link] = await graph(container, 'cart_payment_collection', ['cart_id'], { payment_collection_id })
  return link?.cart_id ?? null
}

async function orderOf({ container }, cart_id) {
  const [link] = await graph(container, 'order_cart', ['order_id'], { cart_id })
  return link?.order_id ?? null
}

/** A payment without a cart, such as one of a payment link of the staff, needs no order. */
async function isOrdered(about, session) {
  const cart = await cartOf(about, session)
  return cart === null || (await orderOf(about, cart)) !== null
}

/** The staff sees the metadata of an order. Without an order it is in the log alone. */
async function tellStaff(container, sessionId, note) {
  container.resolve(ContainerRegistrationKeys.LOGGER).warn(note)
  const session = await readSession({ container, sessionId })
  const cart = session && (await cartOf({ container }, session))
  const order = cart && (await orderOf({ container }, cart))
  if (!order) return
  const orders = container.resolve(Modules.ORDER)
  const { metadata } = await orders.retrieveOrder(order, { select: ['id', 'metadata'] })
  await orders.updateOrders(order, { metadata: { ...metadata, kassa: note } })
}
