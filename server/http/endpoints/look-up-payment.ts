import { LookUpPaymentQuery, PaymentSession } from '../../contract/payment.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { lookUpSession } from '../../payments/creation/session.ts'
import { endpoint } from '../endpoint.ts'

export const lookUpPayment = endpoint({
  method: 'get',
  path: '/v1/payments',
  auth: { kind: 'bearer', scope: 'payments.read' },
  limited: 'lookup',
  stranger: WITHOUT_TOKEN,
  summary: 'Look up a payment',
  description:
    'Returns the current state. Fulfil an order only if the status is `paid` and amount, currency and order reference ' +
    'match. While the payment is open, the service also asks the provider, at most every 3 seconds.',
  query: LookUpPaymentQuery,
  response: PaymentSession,
  errors: ['payment_not_found'],
  async handle(ctx, { merchantId, query }) {
    return { body: await lookUpSession(ctx, merchantId, query.paymentId) }
  },
})
