import { CreateTokenizationIntentRequest, TokenizationResponse } from '../../contract/payment-method-token.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { createTokenizationIntent } from '../../payments/saved-methods/saved-method.ts'
import { endpoint } from '../endpoint.ts'

export const createPaymentMethodToken = endpoint({
  method: 'post',
  path: '/v1/payment-method-tokens',
  auth: { kind: 'bearer', scope: 'tokens.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Save a payment method',
  idempotencyKey: 'required',
  description:
    'Send the buyer to `setupUrl`, where they save a card on the provider’s own page. They come back to `returnUrl` with ' +
    '`tokenId` in its query. This return proves nothing: the token is `active` only when the provider says so. To see the ' +
    'current state, repeat the request with the same key.',
  body: CreateTokenizationIntentRequest,
  response: TokenizationResponse,
  creates: true,
  strictCardData: true,
  errors: [
    ...(['return_url_not_allowed', 'provider_route_not_ready', 'provider_unavailable'] as const),
    ...(['operation_disabled', 'operation_not_configured'] as const),
  ],
  async handle(ctx, { merchantId, idempotencyKey = '', body: request }) {
    const answer = await createTokenizationIntent(ctx, { merchantId, idempotencyKey, request })
    return { created: answer.created, body: answer }
  },
})
