/** What a shop may ask for a payment that exists: refund, capture, void, print its receipt again. */
import type { z } from 'zod'
import type { Context } from '../../context.ts'
import {
  CreateCaptureRequest,
  CreateRefundRequest,
  CreateVoidRequest,
  OperationPath,
  OperationResponse,
  PaymentOperation,
  PaymentPath,
} from '../../contract/operation.ts'
import type { ErrorCode } from '../../errors.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import type { MoneyOperation } from '../../payments/operation.ts'
import { lookUpOperation } from '../../payments/operations/look-up.ts'
import { type MoneyRequest, requestMoneyOperation } from '../../payments/operations/money.ts'
import { requestFiscalRetry } from '../../payments/receipts/retry.ts'
import { type Call, endpoint, type Reply } from '../endpoint.ts'
import { keyedWrite, replyOf, WITHOUT_BODY } from './keyed-write.ts'

/** The errors of operations on a payment. */
const OPERATION_ERRORS = [
  'payment_not_found',
  'operation_disabled',
  'operation_not_configured',
  'payment_not_eligible',
] as const satisfies ErrorCode[]

/** The errors of refunds, captures and voids, which the limits of the token bound. */
const MONEY_ERRORS = [...OPERATION_ERRORS, 'refund_limit_reached'] as const satisfies ErrorCode[]

/** What all requests of an operation on a payment have in common. */
const REQUEST = {
  method: 'post',
  ...keyedWrite('operations.write'),
  params: PaymentPath,
  response: OperationResponse,
  waits: true,
} as const

type MoneyCall = Call<MoneyRequest['request'], unknown, z.infer<typeof PaymentPath>>

const requestMoney =
  (type: MoneyOperation) =>
  async (
    ctx: Context,
    { merchantId, returner, idempotencyKey = '', ifRefundedMinor, params, body: request }: MoneyCall,
  ): Promise<Reply> => {
    const given = { merchantId, returner, idempotencyKey, ifRefundedMinor, request, ...params }
    return replyOf(await requestMoneyOperation(ctx, type, given))
  }

export const createRefund = endpoint({
  ...REQUEST,
  path: '/v1/payments/:paymentId/refunds',
  summary: 'Refund a payment, all or part of it',
  description:
    'The refund is queued at once and carried out in the background. It ends when the provider’s own records show the ' +
    'result. Look the payment up, or wait for its event. Refunds that are not decided yet count as spent, so that all ' +
    'refunds together never exceed the captured amount.',
  body: CreateRefundRequest,
  comparesRefunded: true,
  errors: MONEY_ERRORS,
  handle: requestMoney('refund'),
})

export const capturePayment = endpoint({
  ...REQUEST,
  path: '/v1/payments/:paymentId/capture',
  summary: 'Capture an authorized payment',
  description:
    'Takes the held money, or a part of it with `amountMinor`. The rest is released. A payment can be captured once.',
  body: CreateCaptureRequest,
  bodyOptional: true,
  errors: MONEY_ERRORS,
  handle: requestMoney('capture'),
})

export const voidPayment = endpoint({
  ...REQUEST,
  path: '/v1/payments/:paymentId/void',
  summary: 'Void a payment',
  description:
    'Releases the hold of an authorized payment, or reverses a paid one before the provider has settled it. After that ' +
    'the operation fails. Refund the payment instead.',
  body: CreateVoidRequest,
  errors: MONEY_ERRORS,
  handle: requestMoney('void'),
})

export const retryFiscalReceipt = endpoint({
  ...REQUEST,
  path: '/v1/fiscal-receipts/:paymentId/retry',
  summary: 'Print a fiscal receipt that failed',
  description:
    'Retries the payment’s first receipt that failed: the sale’s, then those of refunds. It is printed in the background, ' +
    'and the operation ends as the receipt does. A receipt that may have been printed is never printed again. The service ' +
    'asks the cash register, and if the register cannot say, a person decides.',
  ...WITHOUT_BODY,
  errors: [...OPERATION_ERRORS, 'fiscalization_disabled', 'receipt_already_issued'],
  async handle(ctx, { merchantId, idempotencyKey = '', params }) {
    return replyOf(await requestFiscalRetry(ctx, { merchantId, idempotencyKey, ...params }))
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
