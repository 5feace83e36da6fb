import { OperationPath, PaymentOperation } from '../../contract/operation.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { lookUpOperation } from '../../payments/operations/look-up.ts'
import { endpoint } from '../endpoint.ts'

export const getOperation = endpoint({
  method: 'get',
  path: '/v1/operations/:operationId',
  auth: { kind: 'bearer', scope: 'payments.read' },
  limited: 'lookup',
  stranger: WITHOUT_TOKEN,
  addition: true,
  summary: 'Look up an operation',
  description:
    'Returns a refund, a capture, a void or another operation as it is now. `queued` and `processing` continue by themselves. An ' +
    'event whose cause is an operation names it in `data.operationId`.',
  params: OperationPath,
  response: PaymentOperation,
  errors: ['operation_not_found'],
  async handle(ctx, { merchantId, params }) {
    return { body: await lookUpOperation(ctx, merchantId, params.operationId) }
  },
})
