/** A payment has the sums of one of its attempts, which is its own: the one with its money, else the latest. */
import type { PaymentStatus } from '../contract/payment.ts'
import type { Attempt } from '../storage/payments/attempt.ts'
import type { AttemptSums } from '../storage/payments/entries.ts'
import type { AttemptedPayment, Payment } from '../storage/payments/payment.ts'

type WithAttempt<A extends keyof Attempt> = { attempt: Pick<Attempt, A> }

/** Whether this attempt is the payment's own. */
export function isOwn({ attempt, ownAttempt }: Pick<Payment, 'ownAttempt'> & WithAttempt<'number'>): boolean {
  return attempt.number === ownAttempt
}

/** An attempt's money before an answer. `status` is present only for the payment's own attempt. */
export type Known = AttemptSums & { status?: PaymentStatus }

export function knownOf(payment: AttemptedPayment): Known {
  const { attempt, status } = payment
  return isOwn(payment) ? { ...attempt, status } : attempt
}
