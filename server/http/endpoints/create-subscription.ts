import { CreateSubscriptionRequest, SubscriptionResponse } from '../../contract/subscription.ts'
import { createSubscription as create } from '../../payments/subscriptions/subscription.ts'
import { endpoint } from '../endpoint.ts'

export const createSubscription = endpoint({
  method: 'post',
  path: '/v1/subscriptions',
  auth: { kind: 'bearer', scope: 'subscriptions.write' },
  limited: 'write',
  summary: 'Begin a subscription',
  idempotencyKey: 'required',
  description:
    'The first period is charged at once and each next one when it begins, to a saved payment method that is active. Every ' +
    'charge is an ordinary payment with its own events; `metadata.subscriptionId` and `metadata.period` say what it is for. ' +
    'A failed one is tried again after 2, 5, 7 and 7 days, and then the subscription ends. The operation succeeds with the ' +
    'first period that is paid. Repeat the request with the same key to see where the subscription stands.',
  body: CreateSubscriptionRequest,
  response: SubscriptionResponse,
  creates: true,
  errors: [
    ...(['provider_route_not_ready', 'provider_route_unsupported', 'token_not_found'] as const),
    ...(['operation_disabled', 'operation_not_configured', 'payment_not_eligible'] as const),
  ],
  async handle(ctx, { merchantId, idempotencyKey = '', body: request }) {
    const answer = await create(ctx, { merchantId, idempotencyKey, request })
    return { created: answer.created, body: answer }
  },
})
