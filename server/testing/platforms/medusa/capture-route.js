/** Code of a shop that captures what it wants: the plug-in's check stands before the staff's interface only. */
const { capturePaymentWorkflow } = require('@medusajs/medusa/core-flows')

exports.POST = async (request, response) => {
  await capturePaymentWorkflow(request.scope).run({ input: request.body })
  response.status(200).json({})
}
