/** A decision is stored only if the payment is still as the person saw it. */
import { AppError } from '../errors.ts'
import type { Payment } from '../storage/payments/payment.ts'

type Now = Pick<Payment, 'id' | 'status' | 'version'>

/** @throws AppError payment_not_eligible when the payment has another version than `version` */
export function refuseIfMoved(now: Now, version: number): void {
  if (now.version !== version) throw movedMeanwhile(now)
}

/** Returns the refusal of a decision about an earlier state of the payment. */
export function movedMeanwhile({ id: paymentId, status, version }: Now): AppError {
  return new AppError('payment_not_eligible', {
    message: `The payment has changed in the meantime: it is ${status} now (version ${version}). Your decision was not stored. Look at the payment, and decide again.`,
    next: [{ act: 'show_payment', paymentId }],
  })
}
