/** A decision is stored only if the payment is still as the person saw it. */
import { AppError } from '../errors.ts'
import type { EntryRecord } from '../storage/payments/entries.ts'
import type { Payment } from '../storage/payments/payment.ts'
import { total } from './entries/entry.ts'

type Now = Pick<Payment, 'id' | 'status' | 'version'>

/** @throws AppError payment_not_eligible when the payment has another version than `version` */
export function refuseIfMoved(now: Now, version: number): void {
  if (now.version !== version) throw movedMeanwhile(now)
}

type Spent = Pick<Payment, 'currency' | 'refundedMinor' | 'refundReservedMinor'>

/**
 * In minor units: what has gone back to the buyer, and what is about to. What came too much and went back counts as well. Otherwise
 * one person could send any sum in small parts.
 */
export function returnedOf(
  { currency, refundedMinor, refundReservedMinor }: Spent,
  entries: readonly Pick<EntryRecord, 'kind' | 'amountMinor' | 'currency'>[],
): number {
  const own = entries.filter((entry) => entry.currency === currency)
  return refundedMinor + refundReservedMinor + total(own, 'over_returned')
}

/** Returns the refusal of a decision about an earlier state of the payment. */
export function movedMeanwhile({ id: paymentId, status, version }: Now): AppError {
  return new AppError('payment_not_eligible', {
    message: `The payment has changed in the meantime: it is ${status} now (version ${version}). Your decision was not stored. Look at the payment, and decide again.`,
    next: [{ act: 'show_payment', paymentId }],
  })
}
