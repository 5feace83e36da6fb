import { NoBody } from '../../contract/operation.ts'
import { SubscriptionPath, SubscriptionResponse } from '../../contract/subscription.ts'
import { cancelSubscription as cancel } from '../../payments/subscriptions/subscription.ts'
import { endpoint } from '../endpoint.ts'

export const cancelSubscription = endpoint({
  method: 'post',
  path: '/v1/subscriptions/:subscriptionId/cancel',
  auth: { kind: 'bearer', scope: 'subscriptions.write' },
  limited: 'write',
  summary: 'Cancel a subscription',
  idempotencyKey: 'required',
  description:
    'At once, and without a refund: nothing is charged from now on. A charge that is under way is left to finish. One that is ' +
    'cancelled already stays as it is.',
  params: SubscriptionPath,
  body: NoBody,
  bodyOptional: true,
  response: SubscriptionResponse,
  creates: true,
  errors: ['subscription_not_found', 'operation_disabled', 'operation_not_configured'],
  async handle(ctx, { merchantId, idempotencyKey = '', params }) {
    const answer = await cancel(ctx, { merchantId, idempotencyKey, ...params })
    return { created: answer.created, body: answer }
  },
})
