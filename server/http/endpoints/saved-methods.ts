/** Saving a payment method of a buyer, and revoking it. */

import {
  CreateTokenizationIntentRequest,
  PaymentMethodTokenPath,
  TokenizationResponse,
  TokenRevocationResponse,
} from '../../contract/payment-method-token.ts'
import { createTokenizationIntent, revokeToken } from '../../payments/saved-methods/saved-method.ts'
import { endpoint } from '../endpoint.ts'
import { keyedWrite, replyOf, WITHOUT_BODY } from './keyed-write.ts'

export const createPaymentMethodToken = endpoint({
  method: 'post',
  path: '/v1/payment-method-tokens',
  ...keyedWrite('tokens.write'),
  summary: 'Save a payment method',
  description:
    'Send the buyer to `setupUrl`, where they save a card on the provider’s own page. They come back to `returnUrl` with ' +
    '`tokenId` in its query. This return proves nothing: the token is `active` only when the provider says so. To see the ' +
    'current state, repeat the request with the same key.',
  body: CreateTokenizationIntentRequest,
  response: TokenizationResponse,
  strictCardData: true,
  errors: [
    'return_url_not_allowed',
    'provider_route_not_ready',
    'provider_unavailable',
    'operation_disabled',
    'operation_not_configured',
  ],
  async handle(ctx, { merchantId, idempotencyKey = '', body: request }) {
    return replyOf(await createTokenizationIntent(ctx, { merchantId, idempotencyKey, request }))
  },
})

export const revokePaymentMethodToken = endpoint({
  method: 'delete',
  path: '/v1/payment-method-tokens/:tokenId',
  ...keyedWrite('tokens.write'),
  summary: 'Revoke a saved payment method',
  description:
    'From now on nothing is charged to this method, and its subscriptions end. The provider is told in the background. The ' +
    'operation ends when the provider has deleted the card. If there is nothing left to revoke, it succeeds at once.',
  params: PaymentMethodTokenPath,
  ...WITHOUT_BODY,
  response: TokenRevocationResponse,
  strictCardData: true,
  errors: ['token_not_found', 'operation_disabled', 'operation_not_configured'],
  async handle(ctx, { merchantId, idempotencyKey = '', params }) {
    return replyOf(await revokeToken(ctx, { merchantId, idempotencyKey, ...params }))
  },
})
