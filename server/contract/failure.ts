import { z } from 'zod'
import { MEANS } from './fields.ts'
import { PaymentOperation } from './operation.ts'

/** Maps the name of each wrong property to one readable sentence. Names of nested properties have dots: `customer.email`. */
export const FieldErrors = z.record(z.string(), z.string())
export type FieldErrors = z.infer<typeof FieldErrors>

const FAILED = { description: 'Always false.' }
const ERROR = { description: 'The error.' }
const failure = {
  code: z.string().meta({ description: 'The error’s name, for programs.' }),
  message: z.string().meta({ description: 'The error in a sentence, for people.' }),
  requestId: z.string().meta({
    description: 'The request’s identifier, also in the header X-Request-Id. Quote it when you ask for help.',
  }),
  hint: z.string().optional().meta({ description: 'What you can do about the error.' }),
  retryable: z.boolean().optional().meta({
    description:
      'True if the same request may succeed later. False if it fails until somebody corrects the cause.',
  }),
}

export const ErrorResponse = z.strictObject({
  ok: z.literal(false).meta(FAILED),
  error: z.looseObject(failure).meta(ERROR),
})
export type ErrorResponse = z.infer<typeof ErrorResponse>

export const ValidationErrorResponse = ErrorResponse.extend({
  errors: FieldErrors.meta({
    description:
      'One sentence for each wrong field, by the field’s name (`customer.email` for a nested one).',
  }),
})
export type ValidationErrorResponse = z.infer<typeof ValidationErrorResponse>

/**
 * The 409 and 501 of guarded operations. `operation`: the record of a request that its route does not allow. The sums: of
 * a refund with Kassa-If-Refunded-Minor that was made for another sum.
 */
export const OperationErrorResponse = z.strictObject({
  ok: z.literal(false).meta(FAILED),
  error: z
    .looseObject({
      ...failure,
      operation: PaymentOperation.optional().meta({
        description: 'The guarded operation, if one was recorded.',
      }),
      refundedMinor: z.int().min(0).optional().meta(MEANS.refundedMinor),
      pendingRefundMinor: z.int().min(0).optional().meta({
        description:
          'How much of the payment is being refunded and not decided yet, in minor units. An addition of Kassa.',
      }),
    })
    .meta(ERROR),
})
export type OperationErrorResponse = z.infer<typeof OperationErrorResponse>
