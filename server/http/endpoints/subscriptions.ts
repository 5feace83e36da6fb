/** Beginning a subscription, and cancelling it. */

import {
  CreateSubscriptionRequest,
  SubscriptionPath,
  SubscriptionResponse,
} from '../../contract/subscription.ts'
import {
  cancelSubscription as cancel,
  createSubscription as create,
} from '../../payments/subscriptions/subscription.ts'
import { endpoint } from '../endpoint.ts'
import { keyedWrite, replyOf, WITHOUT_BODY } from './keyed-write.ts'

export const createSubscription = endpoint({
  method: 'post',
  path: '/v1/subscriptions',
  ...keyedWrite('subscriptions.write'),
  summary: 'Begin a subscription',
  description:
    'Charges an active saved payment method: for the first period at once, and for each later period when it begins. Every ' +
    'charge is an ordinary payment with its own events. Its `metadata.subscriptionId` and `metadata.period` say what it is ' +
    'for. A failed charge is retried after 2, 5, 7 and 7 days, and then the subscription ends. The operation succeeds when ' +
    'a period is paid for the first time. To see the current state, repeat the request with the same key.',
  body: CreateSubscriptionRequest,
  response: SubscriptionResponse,
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
    return replyOf(await create(ctx, { merchantId, idempotencyKey, request }))
  },
})

export const cancelSubscription = endpoint({
  method: 'post',
  path: '/v1/subscriptions/:subscriptionId/cancel',
  ...keyedWrite('subscriptions.write'),
  summary: 'Cancel a subscription',
  description:
    'The subscription ends at once. Nothing more is charged, and nothing is refunded. A charge that is under way still ' +
    'finishes. Cancelling a cancelled subscription changes nothing.',
  params: SubscriptionPath,
  ...WITHOUT_BODY,
  response: SubscriptionResponse,
  strictCardData: true,
  errors: ['subscription_not_found', 'operation_disabled', 'operation_not_configured'],
  async handle(ctx, { merchantId, idempotencyKey = '', params }) {
    return replyOf(await cancel(ctx, { merchantId, idempotencyKey, ...params }))
  },
})
