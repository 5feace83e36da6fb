/**
 * Whether an answer fits its payment.
 * Rule: what a provider reports beyond the payment stays outside the payment's sums, and it is never dropped.
 */
import type { Snapshot } from '../../providers/driver.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import type { OrderTotals } from './movements.ts'

/** Returns why a snapshot must not be applied: another reference, amount or currency, or impossible amounts. Null if it may. */
export function findMismatch(payment: AttemptedPayment, snapshot: Snapshot): string | null {
  const { order, dispute, authorizedMinor, capturedMinor, refundedMinor, amountMinor } = snapshot
  if (snapshot.reference !== payment.attempt.reference) return 'the provider answered for another reference'
  if (snapshot.currency !== payment.currency) return `the provider answered in ${snapshot.currency}`
  if (amountMinor !== payment.amountMinor) return `the provider answered with amount ${amountMinor}`
  const rising = [0, refundedMinor, capturedMinor, Math.max(authorizedMinor, capturedMinor), amountMinor]
  if (rising.some((amount, index) => amount < (rising[index - 1] ?? 0)))
    return `the provider's amounts do not add up: ${authorizedMinor} authorized, ${capturedMinor} captured, ${refundedMinor} refunded`
  if (order === 'completed' && !dispute && authorizedMinor === 0 && capturedMinor === 0)
    return 'the provider says that the order has brought money, but reports no money'
  return null
}

/** Returns all that the order has brought and given back by this answer. */
export function seenOf(snapshot: Snapshot): OrderTotals {
  const { currency, authorizedMinor, capturedMinor, refundedMinor } = snapshot
  const { overReturnedMinor = 0, disputeLostMinor = 0 } = snapshot
  return {
    currency,
    cameMinor: Math.max(authorizedMinor, capturedMinor),
    returnedMinor: refundedMinor + overReturnedMinor + disputeLostMinor,
  }
}

/**
 * Returns the snapshot of a payment whose money was taken, with no more money than the payment can have, and a sentence about the rest;
 * `excess` is null if there is none. If the payment has no money yet, nothing is taken over and a person decides first.
 */
export function withinPayment(
  payment: AttemptedPayment,
  snapshot: Snapshot,
): { snapshot: Snapshot; excess: string | null } {
  const { amountMinor } = payment
  const { authorizedMinor, capturedMinor, refundedMinor } = snapshot
  const takenMinor = Math.min(capturedMinor, amountMinor)
  const within = {
    ...snapshot,
    authorizedMinor: Math.min(authorizedMinor, amountMinor),
    capturedMinor: takenMinor,
    refundedMinor: Math.min(refundedMinor, takenMinor),
  }
  const excess = isTaken(payment) && takenMinor > 0 ? findMismatch(payment, snapshot) : null
  if (excess === null || findMismatch(payment, within) !== null) return { snapshot, excess: null }
  return { snapshot: within, excess }
}

function isTaken({ status, capturedMinor }: Payment): boolean {
  return capturedMinor > 0 && status !== 'status_unknown'
}

/**
 * Returns what an answer has brought and given back, if a part of it stays outside the payment's sums; null if all of it is the
 * payment's, or if the answer is not about this order. `isUnfit`: the payment cannot become what the answer says.
 */
export function findOutside(
  payment: AttemptedPayment,
  snapshot: Snapshot,
  isUnfit: boolean,
): OrderTotals | null {
  const { authorizedMinor, capturedMinor, refundedMinor, overReturnedMinor = 0 } = snapshot
  if (snapshot.reference !== payment.attempt.reference) return null
  if (Math.min(authorizedMinor, capturedMinor, refundedMinor) < 0) return null
  const isOther = snapshot.currency !== payment.currency || snapshot.amountMinor !== payment.amountMinor
  const isOver = Math.max(authorizedMinor, capturedMinor) > payment.amountMinor
  const seen = seenOf(snapshot)
  const isOverReturned = overReturnedMinor > 0 || (capturedMinor > 0 && seen.returnedMinor > capturedMinor)
  return isUnfit || isOther || isOver || isOverReturned ? seen : null
}
