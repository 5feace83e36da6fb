/** A decision is stored only if the payment is still as the person saw it. */
import { AppError } from '../errors.ts'
import type { Payment } from '../storage/payments/payment.ts'

type Now = Pick<Payment, 'id' | 'status' | 'version'>

/** @throws AppError payment_not_eligible when the payment has another version than `version` */
export function refuseIfMoved(now: Now, version: number): void {
  if (now.version !== version) throw movedMeanwhile(now)
}

type Spent = Now & Pick<Payment, 'refundedMinor' | 'refundReservedMinor'>

/** In minor units: what was returned of the payment, and what is about to be. */
export const returnedOf = ({ refundedMinor, refundReservedMinor }: Omit<Spent, keyof Now>): number =>
  refundedMinor + refundReservedMinor

/**
 * Asks under the payment's lock. Without it several returns at once could each see that none was made yet.
 * @throws AppError payment_not_eligible when more than `totalMaxMinor` of the payment would be returned
 */
export function refuseIfAbove(now: Spent, amountMinor: number, totalMaxMinor: number | undefined): void {
  if (totalMaxMinor !== undefined && returnedOf(now) + amountMinor > totalMaxMinor) throw movedMeanwhile(now)
}

/** Returns the refusal of a decision about an earlier state of the payment. */
export function movedMeanwhile({ id: paymentId, status, version }: Now): AppError {
  return new AppError('payment_not_eligible', {
    message: `The payment has changed in the meantime: it is ${status} now (version ${version}). Your decision was not stored. Look at the payment, and decide again.`,
    next: [{ act: 'show_payment', paymentId }],
  })
}
