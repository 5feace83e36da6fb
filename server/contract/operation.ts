import { z } from 'zod'
import {
  AmountMinor,
  CurrencyCode,
  DateTime,
  Metadata,
  PAYMENT_ID_MAX_CHARS,
  PaymentProvider,
} from './fields.ts'
import { text } from './formats.ts'
import { PaymentSession } from './payment.ts'

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
  id: z.string(),
  paymentSessionId: z.string().optional(),
  type: OperationType,
  provider: PaymentProvider,
  providerOperationId: z.string().optional(),
  status: OperationStatus,
  amountMinor: AmountMinor.nullable().optional(),
  currency: CurrencyCode.optional(),
  statusReason: z.string().optional(),
  createdAt: DateTime,
  updatedAt: DateTime.optional(),
})
export type PaymentOperation = z.infer<typeof PaymentOperation>

const REASON_MAX_CHARS = 240

export const PaymentPath = z.strictObject({ paymentId: text(1, PAYMENT_ID_MAX_CHARS) })

const OPERATION_ID_MAX_CHARS = 120
export const OperationPath = z.strictObject({ operationId: text(1, OPERATION_ID_MAX_CHARS) })

export const CreateRefundRequest = z.strictObject({
  amountMinor: AmountMinor,
  currency: CurrencyCode.optional(),
  reason: text(1, REASON_MAX_CHARS),
  metadata: Metadata.optional(),
})
export type CreateRefundRequest = z.infer<typeof CreateRefundRequest>

export const CreateCaptureRequest = z.strictObject({
  amountMinor: AmountMinor.optional(),
  currency: CurrencyCode.optional(),
  reason: text(0, REASON_MAX_CHARS).optional(),
  metadata: Metadata.optional(),
})
export type CreateCaptureRequest = z.infer<typeof CreateCaptureRequest>

export const CreateVoidRequest = z.strictObject({
  reason: text(1, REASON_MAX_CHARS),
  metadata: Metadata.optional(),
})
export type CreateVoidRequest = z.infer<typeof CreateVoidRequest>

/** Endpoints that take no body accept an empty object too. The document shows no body for them. */
export const NoBody = z.strictObject({})

/** The response to a refund, capture, void or fiscal retry. `payment` is the current state; the operation may not be done yet. */
export const OperationResponse = z.strictObject({
  ok: z.literal(true),
  created: z.boolean(),
  operation: PaymentOperation,
  payment: PaymentSession.optional(),
})
export type OperationResponse = z.infer<typeof OperationResponse>
