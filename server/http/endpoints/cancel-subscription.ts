import { NoBody } from '../../contract/operation.ts'
import { SubscriptionPath, SubscriptionResponse } from '../../contract/subscription.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { cancelSubscription as cancel } from '../../payments/subscriptions/subscription.ts'
import { endpoint } from '../endpoint.ts'

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
