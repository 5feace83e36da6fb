import { CreateRefundRequest, OperationResponse, PaymentPath } from '../../contract/operation.ts'
import { requestMoneyOperation } from '../../payments/operations/money.ts'
import { endpoint } from '../endpoint.ts'
import { OPERATION_ERRORS } from './operation-errors.ts'

export const createRefund = endpoint({
  method: 'post',
  path: '/v1/payments/:paymentId/refunds',
  auth: { kind: 'bearer', scope: 'operations.write' },
  limited: 'write',
  summary: 'Refund a payment, all or part of it',
  idempotencyKey: 'required',
  description:
    'Queued at once, carried out by a worker, and over when the provider’s own books show it: look the payment up, or wait ' +
    'for its event. What refunds that are not decided yet may take counts as spent, so that together they never exceed what ' +
    'was captured.',
  params: PaymentPath,
  body: CreateRefundRequest,
  response: OperationResponse,
  creates: true,
  errors: OPERATION_ERRORS,
  async handle(ctx, { merchantId, idempotencyKey = '', params, body: request }) {
    const answer = await requestMoneyOperation(ctx, 'refund', {
      merchantId,
      idempotencyKey,
      request,
      ...params,
    })
    return { created: answer.created, body: answer }
  },
})
