import type { ErrorCode } from '../../errors.ts'

/** The errors of operations on a payment. */
export const OPERATION_ERRORS = [
  'payment_not_found',
  'operation_disabled',
  'operation_not_configured',
  'payment_not_eligible',
] as const satisfies ErrorCode[]

/** The errors of refunds, captures and voids, which the limits of the token bound. */
export const MONEY_ERRORS = [...OPERATION_ERRORS, 'refund_limit_reached'] as const satisfies ErrorCode[]
