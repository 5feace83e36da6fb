/** The raw body of events, and a look at Kassa before a cart is completed. */
const { defineMiddlewares } = require('@medusajs/framework/http')
const utils = require('@medusajs/framework/utils')
const { decide } = require('../lib/decide')
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

exports.__esModule = true
exports.default = defineMiddlewares({
  routes: [
    { matcher: '/kassa/events', method: ['POST'], bodyParser: { preserveRawBody: true, sizeLimit: '256kb' } },
    { matcher: '/store/carts/:id/complete', method: ['POST'], middlewares: [moneyFirst] },
  ],
})
