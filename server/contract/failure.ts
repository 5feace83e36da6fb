import { z } from 'zod'
import { PaymentOperation } from './operation.ts'

/** Maps the name of each wrong property to one readable sentence. Names of nested properties have dots: `customer.email`. */
export const FieldErrors = z.record(z.string(), z.string())
export type FieldErrors = z.infer<typeof FieldErrors>

const failure = {
  code: z.string(),
  message: z.string(),
  requestId: z.string(),
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
}

export const ErrorResponse = z.strictObject({ ok: z.literal(false), error: z.looseObject(failure) })
export type ErrorResponse = z.infer<typeof ErrorResponse>

export const ValidationErrorResponse = ErrorResponse.extend({ errors: FieldErrors })
export type ValidationErrorResponse = z.infer<typeof ValidationErrorResponse>

/**
 * The 409 and 501 of guarded operations. `operation`: the record of a request that its route does not allow. The sums: of
 * a refund with Kassa-If-Refunded-Minor that was made for another sum.
 */
export const OperationErrorResponse = z.strictObject({
  ok: z.literal(false),
  error: z.looseObject({
    ...failure,
    operation: PaymentOperation.optional(),
    refundedMinor: z.int().min(0).optional(),
    pendingRefundMinor: z.int().min(0).optional(),
  }),
})
export type OperationErrorResponse = z.infer<typeof OperationErrorResponse>
