import { CreateRefundRequest, OperationResponse, PaymentPath } from '../../contract/operation.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { requestMoneyOperation } from '../../payments/operations/money.ts'
import { endpoint } from '../endpoint.ts'
import { MONEY_ERRORS } from './operation-errors.ts'

export const createRefund = endpoint({
  method: 'post',
  path: '/v1/payments/:paymentId/refunds',
  auth: { kind: 'bearer', scope: 'operations.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Refund a payment, all or part of it',
  idempotencyKey: 'required',
  description:
    'The refund is queued at once and carried out in the background. It ends when the provider’s own records show the ' +
    'result. Look the payment up, or wait for its event. Refunds that are not decided yet count as spent, so that all ' +
    'refunds together never exceed the captured amount.',
  params: PaymentPath,
  body: CreateRefundRequest,
  response: OperationResponse,
  creates: true,
  waits: true,
  comparesRefunded: true,
  errors: MONEY_ERRORS,
  async handle(ctx, { merchantId, returner, idempotencyKey = '', ifRefundedMinor, params, body: request }) {
    const answer = await requestMoneyOperation(ctx, 'refund', {
      merchantId,
      returner,
      idempotencyKey,
      request,
      ifRefundedMinor,
      ...params,
    })
    return { created: answer.created, body: answer }
  },
})
