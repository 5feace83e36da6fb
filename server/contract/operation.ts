import { z } from 'zod'
import {
  AmountMinor,
  CurrencyCode,
  FIELDS,
  MEANS,
  Metadata,
  PAYMENT_ID_MAX_CHARS,
  PaymentProvider,
} from './fields.ts'
import { text } from './formats.ts'
import { PaymentSession } from './payment.ts'

const SAME_CURRENCY = { description: 'If given, it must be the payment’s currency.' }

const FOR_BOTH = { description: 'The reason, for your records and the provider’s.' }

export const OPERATION_TYPES = [
  'refund',
  'capture',
  'void',
  'fiscal_retry',
  'tokenization_intent',
  'token_revoke',
  'subscription_create',
  'subscription_cancel',
] as const
export const OperationType = z.enum(OPERATION_TYPES)
export type OperationType = z.infer<typeof OperationType>

export const OPERATION_STATUSES = [
  'blocked',
  'queued',
  'processing',
  'succeeded',
  'failed',
  'requires_provider_contract',
  'requires_operator_review',
] as const
export const OperationStatus = z.enum(OPERATION_STATUSES)
export type OperationStatus = z.infer<typeof OperationStatus>

/** A guarded operation. A merchant requests it, a worker carries it out, and it ends when the provider's outcome is known. */
export const PaymentOperation = z.strictObject({
  id: z.string().meta({ description: 'The operation’s identifier.' }),
  paymentSessionId: z.string().optional().meta({ description: 'The payment of this operation.' }),
  type: OperationType.meta({ description: 'The kind of operation.' }),
  provider: PaymentProvider.meta({ description: 'The provider route.' }),
  providerOperationId: z.string().optional().meta({ description: 'The provider’s own id of the operation.' }),
  status: OperationStatus.meta({
    description:
      '`queued` and `processing` continue by themselves. `succeeded` and `failed` are final, but a refund that fails at the provider after it succeeded becomes `failed`. `requires_operator_review`: a person decides. `blocked` and `requires_provider_contract`: the call was rejected.',
  }),
  amountMinor: AmountMinor.nullable()
    .optional()
    .meta({ description: 'The amount that it moves, in minor units.' }),
  currency: FIELDS.currency.optional(),
  statusReason: z.string().optional().meta({
    description:
      'The reason for the status, for people. A refund that failed at the provider after it had succeeded says so here.',
  }),
  createdAt: FIELDS.createdAt,
  updatedAt: FIELDS.updatedAt.optional(),
})
export type PaymentOperation = z.infer<typeof PaymentOperation>

const REASON_MAX_CHARS = 240

export const PaymentPath = z.strictObject({
  paymentId: text(1, PAYMENT_ID_MAX_CHARS).meta(MEANS.paymentId),
})

const OPERATION_ID_MAX_CHARS = 120
export const OperationPath = z.strictObject({
  operationId: text(1, OPERATION_ID_MAX_CHARS).meta({
    description: 'The identifier of an operation, such as `opr_test_01k9zq…`.',
  }),
})

export const CreateRefundRequest = z.strictObject({
  amountMinor: AmountMinor.meta({ description: 'The amount that goes back, in minor units.' }),
  currency: CurrencyCode.optional().meta(SAME_CURRENCY),
  reason: text(1, REASON_MAX_CHARS).meta(FOR_BOTH),
  metadata: Metadata.optional(),
})
export type CreateRefundRequest = z.infer<typeof CreateRefundRequest>

export const CreateCaptureRequest = z.strictObject({
  amountMinor: AmountMinor.optional().meta({
    description: 'The amount to take, in minor units. If it is left out, the whole held amount is taken.',
  }),
  currency: CurrencyCode.optional().meta(SAME_CURRENCY),
  reason: text(0, REASON_MAX_CHARS).optional().meta({ description: 'The reason, for your records.' }),
  metadata: Metadata.optional(),
})
export type CreateCaptureRequest = z.infer<typeof CreateCaptureRequest>

export const CreateVoidRequest = z.strictObject({
  reason: text(1, REASON_MAX_CHARS).meta(FOR_BOTH),
  metadata: Metadata.optional(),
})
export type CreateVoidRequest = z.infer<typeof CreateVoidRequest>

export const CancelPaymentRequest = z.strictObject({
  reason: text(1, REASON_MAX_CHARS).meta({ description: 'The reason, for your records.' }),
  metadata: Metadata.optional(),
})
export type CancelPaymentRequest = z.infer<typeof CancelPaymentRequest>

/** The response to a cancel: no operation, but the payment as it is now. */
export const CancelPaymentResponse = z.strictObject({
  ok: FIELDS.ok,
  created: z.boolean().meta({ description: 'False if the payment was cancelled before.' }),
  payment: PaymentSession.meta(MEANS.payment),
})
export type CancelPaymentResponse = z.infer<typeof CancelPaymentResponse>

/** Endpoints that take no body accept an empty object too. The document shows no body for them. */
export const NoBody = z.strictObject({})

/** The response to a refund, capture, void or fiscal retry. `payment` is the current state; the operation may not be done yet. */
export const OperationResponse = z.strictObject({
  ok: FIELDS.ok,
  created: FIELDS.created,
  operation: PaymentOperation.meta({ description: 'The operation as it is now.' }),
  payment: PaymentSession.optional().meta(MEANS.payment),
})
export type OperationResponse = z.infer<typeof OperationResponse>
