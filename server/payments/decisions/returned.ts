/** An operator notes money of a payment that somebody has transferred back by hand, because no provider returns it. */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { inTransaction } from '../../storage/db.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById, lockPayment } from '../../storage/payments/payments.ts'
import { decimalAmount } from '../money.ts'
import { refuseIfMoved } from '../moved.ts'
import { type Decision, OPERATION_TABLE } from '../operation.ts'
import { leftToRefund } from '../operations/money.ts'
import { applyStatusIn } from '../transition.ts'
import { isReferenceOf, referenceNote, takeReference } from './bank-reference.ts'

/** `reference`: the bank's, of the transfer to the buyer. */
export type Returned = { reference: string; amountMinor: number }

/** Whether only a person can return money of the payment: its provider neither moves nor reports any. */
export async function isReturnedByHand(ctx: Context, { attempt }: AttemptedPayment): Promise<boolean> {
  const driver = (await findAccount(ctx, attempt.accountId))?.driver
  return driver !== undefined && !driver.lookUp && !driver.refund
}

/**
 * Stores a transfer to the buyer as a refund. `noted` is false when the same transfer was noted before, however its reference was
 * typed.
 * @throws AppError payment_not_found; payment_not_eligible for a payment whose provider returns money, whose money is not there, or
 *   that has less left
 */
export async function noteReturn(
  ctx: Context,
  paymentId: string,
  { actor, version, why, reference, amountMinor }: Returned & Decision,
): Promise<{ payment: AttemptedPayment; noted: boolean }> {
  const seen = await findPaymentById(ctx.db, paymentId)
  if (!seen) throw new AppError('payment_not_found', { message: `There is no payment ${paymentId}.` })
  if (!(await isReturnedByHand(ctx, seen)))
    throw new AppError('payment_not_eligible', {
      message: `The provider of ${seen.attempt.provider} returns the money itself. Refund the payment instead.`,
    })
  return inTransaction(ctx.db, async (tx) => {
    const payment = (await lockPayment(tx, seen.merchantId, paymentId)) as AttemptedPayment
    if (await isReferenceOf(tx, payment.attempt, reference, 'out')) return { payment, noted: false }
    refuseIfMoved(payment, version ?? seen.version)
    refuseTooMuch(payment, amountMinor)
    const detail = [referenceNote(reference), why].filter(Boolean).join(': ')
    const { to, money } = OPERATION_TABLE.refund.effect(payment, amountMinor)
    const applied = await applyStatusIn(ctx, tx, payment, { to, money, cause: 'operator', actor, detail })
    if (applied.outcome !== 'changed')
      throw new Error(`Bug! The return of ${paymentId} was ${applied.outcome}.`)
    await takeReference(ctx, tx, payment.attempt, reference, 'out')
    return { payment: applied.payment, noted: true }
  })
}

/** @throws AppError payment_not_eligible */
function refuseTooMuch(payment: AttemptedPayment, amountMinor: number): void {
  const { id, status, currency } = payment
  const left = OPERATION_TABLE.refund.from.includes(status) ? leftToRefund(payment) : 0
  if (amountMinor > 0 && amountMinor <= left) return
  throw new AppError('payment_not_eligible', {
    message: `The payment ${id} is ${status}, and ${decimalAmount(left, currency)} ${currency} of it can be returned. Nothing was stored.`,
  })
}
