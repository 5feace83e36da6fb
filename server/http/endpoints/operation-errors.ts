import type { ErrorCode } from '../../errors.ts'

/** The errors of refunds, captures and voids. */
export const OPERATION_ERRORS = [
  'payment_not_found',
  'operation_disabled',
  'operation_not_configured',
  'payment_not_eligible',
] as const satisfies ErrorCode[]
