import { NoBody, OperationResponse, PaymentPath } from '../../contract/operation.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { requestFiscalRetry } from '../../payments/receipts/retry.ts'
import { endpoint } from '../endpoint.ts'
import { OPERATION_ERRORS } from './operation-errors.ts'

export const retryFiscalReceipt = endpoint({
  method: 'post',
  path: '/v1/fiscal-receipts/:paymentId/retry',
  auth: { kind: 'bearer', scope: 'operations.write' },
  limited: 'write',
  stranger: WITHOUT_TOKEN,
  summary: 'Print a fiscal receipt that failed',
  idempotencyKey: 'required',
  description:
    'Retries the payment’s first receipt that failed: the sale’s, then those of refunds. It is printed in the background, ' +
    'and the operation ends as the receipt does. A receipt that may have been printed is never printed again. The service ' +
    'asks the cash register, and if the register cannot say, a person decides.',
  params: PaymentPath,
  body: NoBody,
  bodyOptional: true,
  response: OperationResponse,
  creates: true,
  waits: true,
  errors: [...OPERATION_ERRORS, 'fiscalization_disabled', 'receipt_already_issued'],
  async handle(ctx, { merchantId, idempotencyKey = '', params }) {
    const answer = await requestFiscalRetry(ctx, { merchantId, idempotencyKey, ...params })
    return { created: answer.created, body: answer }
  },
})
