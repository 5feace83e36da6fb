import { NoBody } from '../../contract/operation.ts'
import { PaymentMethodTokenPath, TokenRevocationResponse } from '../../contract/payment-method-token.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { revokeToken } from '../../payments/saved-methods/saved-method.ts'
import { endpoint } from '../endpoint.ts'

export const revokePaymentMethodToken = endpoint({
  method: 'delete',
  path: '/v1/payment-method-tokens/:tokenId',
  auth: { kind: 'bearer', scope: 'tokens.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Revoke a saved payment method',
  idempotencyKey: 'required',
  description:
    'From now on nothing is charged to this method, and its subscriptions end. The provider is told in the background. The ' +
    'operation ends when the provider has deleted the card. If there is nothing left to revoke, it succeeds at once.',
  params: PaymentMethodTokenPath,
  body: NoBody,
  bodyOptional: true,
  response: TokenRevocationResponse,
  creates: true,
  strictCardData: true,
  errors: ['token_not_found', 'operation_disabled', 'operation_not_configured'],
  async handle(ctx, { merchantId, idempotencyKey = '', params }) {
    const answer = await revokeToken(ctx, { merchantId, idempotencyKey, ...params })
    return { created: answer.created, body: answer }
  },
})
