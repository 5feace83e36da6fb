import { CreatePaymentSessionRequest, PaymentSession } from '../../contract/payment.ts'
import { createSession } from '../../payments/creation/session.ts'
import { endpoint } from '../endpoint.ts'

export const createPaymentSession = endpoint({
  method: 'post',
  path: '/v1/payment-sessions',
  auth: { kind: 'bearer', scope: 'payments.write' },
  limited: 'write',
  summary: 'Create a payment session',
  idempotencyKey: 'optional',
  description:
    'Send the buyer to `checkoutUrl`. With an Idempotency-Key, retries of one attempt make one payment; without one, the ' +
    'same order and content are one attempt until it has failed, expired or been cancelled.',
  body: CreatePaymentSessionRequest,
  response: PaymentSession,
  creates: true,
  errors: [
    'return_url_not_allowed',
    'provider_route_not_ready',
    'provider_route_unsupported',
    'provider_unavailable',
  ],
  async handle(ctx, { merchantId, idempotencyKey, body: request }) {
    const { session, created } = await createSession(ctx, { merchantId, idempotencyKey, request })
    return { created, body: session }
  },
})
