/** The raw body of events, and a look at Kassa before a cart is completed. */
const { defineMiddlewares } = require('@medusajs/framework/http')
const utils = require('@medusajs/framework/utils')
const { decide } = require('../lib/decide')
const { majorOf, minorOf } = require('../lib/money')
const { MONEY } = require('../lib/statuses')

const PROVIDER = /^pp_kassa(_|$)/

/** A cart whose money has not come makes no order, and so burns no order number. */
async function moneyFirst(request, response, next) {
  const query = request.scope.resolve(utils.ContainerRegistrationKeys.QUERY)
  const { data } = await query.graph({
    entity: 'cart',
    fields: ['id', 'payment_collection.payment_sessions.*'],
    filters: { id: request.params.id },
  })
  const sessions = data[0]?.payment_collection?.payment_sessions ?? []
  const session = sessions.find(({ provider_id }) => PROVIDER.test(provider_id))
  if (!session?.data?.id) return next()
  const { status } = await decide(request.scope, { id: session.data.id, sessionId: session.id })
  if (MONEY.includes(status)) return next()
  const message = `The payment is ${status}.`
  response.status(200).json({
    type: 'cart',
    cart: { id: request.params.id },
    error: { message, name: 'Error', type: utils.MedusaError.Types.PAYMENT_AUTHORIZATION_ERROR },
  })
}

/** Medusa tells a provider no amount of a capture, and Kassa takes all that is held. So a part is refused before anything is sent. */
async function captureWhole(request, _response, next) {
  const amount = request.body?.amount
  // Without an amount Medusa takes the whole, and it refuses what is no number.
  if (typeof amount !== 'number') return next()
  const payments = request.scope.resolve(utils.Modules.PAYMENT)
  const payment = await payments.retrievePayment(request.params.id)
  if (!PROVIDER.test(payment.provider_id)) return next()
  const whole = majorOf(
    minorOf(payment.raw_amount ?? payment.amount, payment.currency_code),
    payment.currency_code,
  )
  if (amount === whole) return next()
  throw new utils.MedusaError(
    utils.MedusaError.Types.NOT_ALLOWED,
    'Kassa captures all that is held. Capture the whole sum, and then refund what you do not want to take.',
  )
}

/**
 * Medusa cancels an order also if its provider cannot let the money go. So what Kassa knows is booked first: money that was taken from
 * outside is then refunded by Medusa, and without an answer of Kassa the order is not cancelled.
 */
async function lookFirst(request, _response, next) {
  const query = request.scope.resolve(utils.ContainerRegistrationKeys.QUERY)
  const fields = ['id', 'payment_collections.payments.*']
  const { data } = await query.graph({ entity: 'order', fields, filters: { id: request.params.id } })
  const payments = (data[0]?.payment_collections ?? []).flatMap((each) => each?.payments ?? [])
  const isOpen = ({ provider_id, canceled_at, captured_at }) =>
    PROVIDER.test(provider_id) && !canceled_at && !captured_at
  for (const payment of payments.filter(isOpen))
    await decide(request.scope, { id: payment.data.id, sessionId: payment.data.session_id }).catch(
      (error) => {
        // Nothing can be done about it at Kassa, and a note asks a person to look.
        if (error.isUnknown) return
        throw new utils.MedusaError(utils.MedusaError.Types.NOT_ALLOWED, `Kassa: ${error.message}`)
      },
    )
  next()
}

exports.__esModule = true
exports.default = defineMiddlewares({
  routes: [
    { matcher: '/kassa/events', method: ['POST'], bodyParser: { preserveRawBody: true, sizeLimit: '256kb' } },
    { matcher: '/admin/payments/:id/capture', method: ['POST'], middlewares: [captureWhole] },
    { matcher: '/admin/orders/:id/cancel', method: ['POST'], middlewares: [lookFirst] },
    { matcher: '/store/carts/:id/complete', method: ['POST'], middlewares: [moneyFirst] },
  ],
})
