import { CreateCaptureRequest, OperationResponse, PaymentPath } from '../../contract/operation.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { requestMoneyOperation } from '../../payments/operations/money.ts'
import { endpoint } from '../endpoint.ts'
import { MONEY_ERRORS } from './operation-errors.ts'

export const capturePayment = endpoint({
  method: 'post',
  path: '/v1/payments/:paymentId/capture',
  auth: { kind: 'bearer', scope: 'operations.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Capture an authorized payment',
  idempotencyKey: 'required',
  description:
    'Takes the held money, or a part of it with `amountMinor`. The rest is released. A payment can be captured once.',
  params: PaymentPath,
  body: CreateCaptureRequest,
  bodyOptional: true,
  response: OperationResponse,
  creates: true,
  waits: true,
  errors: MONEY_ERRORS,
  async handle(ctx, { merchantId, returner, idempotencyKey = '', params, body: request }) {
    const answer = await requestMoneyOperation(ctx, 'capture', {
      merchantId,
      returner,
      idempotencyKey,
      request,
      ...params,
    })
    return { created: answer.created, body: answer }
  },
})
