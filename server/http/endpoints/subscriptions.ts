/** Beginning a subscription, and cancelling it. */

import { NoBody } from '../../contract/operation.ts'
import {
  CreateSubscriptionRequest,
  SubscriptionPath,
  SubscriptionResponse,
} from '../../contract/subscription.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import {
  cancelSubscription as cancel,
  createSubscription as create,
} from '../../payments/subscriptions/subscription.ts'
import { endpoint } from '../endpoint.ts'

export const createSubscription = endpoint({
  method: 'post',
  path: '/v1/subscriptions',
  auth: { kind: 'bearer', scope: 'subscriptions.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Begin a subscription',
  idempotencyKey: 'required',
  description:
    'Charges an active saved payment method: for the first period at once, and for each later period when it begins. Every ' +
    'charge is an ordinary payment with its own events. Its `metadata.subscriptionId` and `metadata.period` say what it is ' +
    'for. A failed charge is retried after 2, 5, 7 and 7 days, and then the subscription ends. The operation succeeds when ' +
    'a period is paid for the first time. To see the current state, repeat the request with the same key.',
  body: CreateSubscriptionRequest,
  response: SubscriptionResponse,
  creates: true,
  strictCardData: true,
  errors: [
    'provider_route_not_ready',
    'provider_route_unsupported',
    'token_not_found',
    'operation_disabled',
    'operation_not_configured',
    'payment_not_eligible',
    'provider_unavailable',
  ],
  async handle(ctx, { merchantId, idempotencyKey = '', body: request }) {
    const answer = await create(ctx, { merchantId, idempotencyKey, request })
    return { created: answer.created, body: answer }
  },
})

export const cancelSubscription = endpoint({
  method: 'post',
  path: '/v1/subscriptions/:subscriptionId/cancel',
  auth: { kind: 'bearer', scope: 'subscriptions.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Cancel a subscription',
  idempotencyKey: 'required',
  description:
    'The subscription ends at once. Nothing more is charged, and nothing is refunded. A charge that is under way still ' +
    'finishes. Cancelling a cancelled subscription changes nothing.',
  params: SubscriptionPath,
  body: NoBody,
  bodyOptional: true,
  response: SubscriptionResponse,
  creates: true,
  strictCardData: true,
  errors: ['subscription_not_found', 'operation_disabled', 'operation_not_configured'],
  async handle(ctx, { merchantId, idempotencyKey = '', params }) {
    const answer = await cancel(ctx, { merchantId, idempotencyKey, ...params })
    return { created: answer.created, body: answer }
  },
})
