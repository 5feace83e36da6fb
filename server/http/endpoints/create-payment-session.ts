import { CreatePaymentSessionRequest, PaymentSession } from '../../contract/payment.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { createSession } from '../../payments/creation/session.ts'
import { endpoint } from '../endpoint.ts'
import { warnOfPlainReturn } from './plain-return.ts'

export const createPaymentSession = endpoint({
  method: 'post',
  path: '/v1/payment-sessions',
  auth: { kind: 'bearer', scope: 'payments.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Create a payment session',
  idempotencyKey: 'optional',
  description:
    'Send the buyer to `checkoutUrl`. With an Idempotency-Key, all retries of one attempt lead to one payment. Without a ' +
    'key, requests with the same order and body count as one attempt, until that payment has failed, expired, or been ' +
    'cancelled, reversed or fully refunded.',
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
    warnOfPlainReturn(ctx, { merchantId, paymentId: session.id, returnUrl: request.returnUrl })
    return { created, body: session }
  },
})
