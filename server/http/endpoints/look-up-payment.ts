import { LookUpPaymentQuery } from '../../contract/payment.ts'
import { lookUpSession } from '../../payments/session.ts'
import { endpoint } from '../endpoint.ts'

export const lookUpPayment = endpoint({
  method: 'get',
  path: '/v1/payments',
  auth: { kind: 'bearer', scope: 'payments.read' },
  summary: 'Look up a payment',
  query: LookUpPaymentQuery,
  async handle(ctx, { merchantId, query }) {
    return { body: await lookUpSession(ctx, merchantId, query.paymentId) }
  },
})
