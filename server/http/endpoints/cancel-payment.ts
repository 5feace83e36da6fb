import { CancelPaymentRequest, CancelPaymentResponse, PaymentPath } from '../../contract/operation.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { cancelPayment as cancel } from '../../payments/operations/cancel.ts'
import { endpoint } from '../endpoint.ts'

export const cancelPayment = endpoint({
  method: 'post',
  path: '/v1/payments/:paymentId/cancel',
  auth: { kind: 'bearer', scope: 'payments.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  addition: true,
  summary: 'Cancel a payment that nobody has paid',
  idempotencyKey: 'required',
  description:
    'Ends a payment that is `created`, `pending_redirect` or `pending_payment`, and not while the provider is working on it. The ' +
    'provider is asked first. Its order is withdrawn where the provider can do that. Money that arrives all the same is not the ' +
    'payment’s: a hold is released, and what was taken goes back by itself where refunds are enabled. The payment stays `cancelled`. ' +
    'It is no operation: the response has the payment alone.',
  params: PaymentPath,
  body: CancelPaymentRequest,
  response: CancelPaymentResponse,
  creates: true,
  errors: ['payment_not_found', 'payment_not_eligible', 'provider_unavailable'],
  async handle(ctx, { merchantId, idempotencyKey = '', params, body: request }) {
    const answer = await cancel(ctx, { merchantId, idempotencyKey, request, ...params })
    return { created: answer.created, body: answer }
  },
})
