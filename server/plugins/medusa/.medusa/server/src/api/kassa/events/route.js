/** The event route. Medusa's own hook answers before it verifies, so the plug-in has its own. */
const { ContainerRegistrationKeys } = require('@medusajs/framework/utils')
const { verifyEvent } = require('kassa-client')
const { decideTold } = require('../../../lib/decide')
const { tell } = require('../../../lib/news')
const pauses = require('../../../lib/pauses')

/** Verifies and stores the event before the answer. The cart and the order change afterwards. */
exports.POST = async (request, response) => {
  const { secrets } = request.scope.resolve('kassa')
  const verified = verifyEvent(request.rawBody, request.headers, { secrets })
  if (!verified.ok) return response.status(401).send(verified.error.message)
  const { event } = verified
  const { id, merchantOrderId } = event.payment
  if (
    event.type !== 'payment.status_changed' ||
    typeof id !== 'string' ||
    typeof merchantOrderId !== 'string'
  )
    return response.status(200).send('Ignored.')
  const isOurs = await tell(request.scope, { id, merchantOrderId })
  pauses.end(id)
  response.status(200).send(isOurs ? 'Stored.' : 'This shop has no such payment session.')
  if (!isOurs) return
  const logger = request.scope.resolve(ContainerRegistrationKeys.LOGGER)
  setImmediate(() => decideTold(request.scope).catch((failure) => logger.warn(failure.message)))
}

// Kassa has no account in this shop.
exports.AUTHENTICATE = false
