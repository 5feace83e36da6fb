/** What a shop may ask for a payment that exists: refund, capture, void, print its receipt again. */
import {
  CreateCaptureRequest,
  CreateRefundRequest,
  CreateVoidRequest,
  NoBody,
  OperationPath,
  OperationResponse,
  PaymentOperation,
  PaymentPath,
} from '../../contract/operation.ts'
import type { ErrorCode } from '../../errors.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { lookUpOperation } from '../../payments/operations/look-up.ts'
import { requestMoneyOperation } from '../../payments/operations/money.ts'
import { requestFiscalRetry } from '../../payments/receipts/retry.ts'
import { endpoint } from '../endpoint.ts'

/** The errors of operations on a payment. */
const OPERATION_ERRORS = [
  'payment_not_found',
  'operation_disabled',
  'operation_not_configured',
  'payment_not_eligible',
] as const satisfies ErrorCode[]

/** The errors of refunds, captures and voids, which the limits of the token bound. */
const MONEY_ERRORS = [...OPERATION_ERRORS, 'refund_limit_reached'] as const satisfies ErrorCode[]

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
