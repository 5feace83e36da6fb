import { CreateVoidRequest, OperationResponse, PaymentPath } from '../../contract/operation.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { requestMoneyOperation } from '../../payments/operations/money.ts'
import { endpoint } from '../endpoint.ts'
import { MONEY_ERRORS } from './operation-errors.ts'

export const voidPayment = endpoint({
  method: 'post',
  path: '/v1/payments/:paymentId/void',
  auth: { kind: 'bearer', scope: 'operations.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Void a payment',
  idempotencyKey: 'required',
  description:
    'Releases the hold of an authorized payment, or reverses a paid one before the provider has settled it. After that ' +
    'the operation fails. Refund the payment instead.',
  params: PaymentPath,
  body: CreateVoidRequest,
  response: OperationResponse,
  creates: true,
  waits: true,
  errors: MONEY_ERRORS,
  async handle(ctx, { merchantId, returner, idempotencyKey = '', params, body: request }) {
    const answer = await requestMoneyOperation(ctx, 'void', {
      merchantId,
      returner,
      idempotencyKey,
      request,
      ...params,
    })
    return { created: answer.created, body: answer }
  },
})
