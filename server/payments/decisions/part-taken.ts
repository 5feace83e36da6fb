/**
 * Of a payment with an unknown outcome the provider may have taken or held less than the whole amount.
 * Rule: such a payment becomes paid or authorized only if the person has seen that sum and accepts it.
 */
import { AppError } from '../../errors.ts'
import type { Payment } from '../../storage/payments/payment.ts'
import { decimalAmount } from '../money.ts'

type Sums = Pick<Payment, 'amountMinor' | 'authorizedMinor' | 'capturedMinor'>
/** The sum that counts for each outcome. The other outcomes return or release everything. */
const SUMS: Partial<Record<string, keyof Sums & string>> = {
  paid: 'capturedMinor',
  authorized: 'authorizedMinor',
}

/** Returns what was taken or held if it is known and less than the payment's amount; else null. */
export function findPart(payment: Sums, as: string): number | null {
  const name = SUMS[as]
  const minor = name === undefined ? 0 : payment[name]
  return minor > 0 && minor < payment.amountMinor ? minor : null
}

/** @throws AppError payment_not_eligible, unless `accepts` is the very sum that was taken or is held */
export function refuseUnseenPart(
  payment: Sums & Pick<Payment, 'id' | 'currency'>,
  as: string,
  accepts: number | undefined,
): void {
  const part = findPart(payment, as)
  if (part === null || part === accepts) return
  const { id, amountMinor, currency } = payment
  const [some, whole] = [part, amountMinor].map((minor) => decimalAmount(minor, currency))
  const done = as === 'paid' ? 'was taken' : 'is held'
  throw new AppError('payment_not_eligible', {
    reason: 'part_taken',
    about: { amount: `${some} ${currency}`, asked: `${whole} ${currency}` },
    message: `Of the payment ${id} only ${some} of ${whole} ${currency} ${done}. Nothing was stored. If the shop accepts less for the order, decide again and name this sum. Else return the money, or ask the buyer for the rest.`,
  })
}
