import { CreatePaymentSessionRequest } from '../../contract/payment.ts'
import { createSession } from '../../payments/session.ts'
import { endpoint } from '../endpoint.ts'

export const createPaymentSession = endpoint({
  method: 'post',
  path: '/v1/payment-sessions',
  auth: { kind: 'bearer', scope: 'payments.write' },
  summary: 'Create a payment session',
  idempotencyKey: 'optional',
  body: CreatePaymentSessionRequest,
  async handle(ctx, { merchantId, idempotencyKey, body: request }) {
    const { session, created } = await createSession(ctx, { merchantId, idempotencyKey, request })
    return { created, body: session }
  },
})
