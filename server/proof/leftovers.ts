/** The leftovers of an earlier test of the account that was killed: they are reported and put in order. */
import { isOverAttempt } from '../payments/attempts/attempt.ts'
import { isOpen } from '../payments/status.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { listLiveSavedMethods } from '../storage/saved-methods/saved-methods-of.ts'
import { listPayments } from '../storage/search/list.ts'
import { removeMethod } from './saving.ts'
import { giveUp, operate, type Test } from './steps.ts'

const LOOKED_AT = 100

/** Removes saved methods, withdraws open orders, voids what is held, and refunds what is left. */
export async function clearLeftovers(test: Test): Promise<void> {
  const { ctx, account, merchantId, report } = test
  for (const method of await listLiveSavedMethods(ctx.db, { merchantId, accountId: account.id })) {
    report(`An earlier test has left ${method.id}, which is ${method.status}.`, {
      leftover: method.id,
      status: method.status,
    })
    await removeMethod(test, method)
  }
  const recent = await listPayments(ctx.db, { merchantId, limit: LOOKED_AT })
  for (const payment of recent.filter(({ attempt }) => attempt.accountId === account.id)) {
    if (!isLeft(payment)) continue
    report(`An earlier test has left ${payment.id}, which is ${payment.status}.`, {
      leftover: payment.id,
      status: payment.status,
    })
    if (isOpen(payment.status)) await giveUp(test, payment)
    else if (payment.status === 'authorized') await operate(test, 'void', payment)
    else await operate(test, 'refund', payment, payment.capturedMinor - payment.refundedMinor)
  }
}

/** An order that is over needs nothing more. Its payment ends by itself. */
function isLeft({
  status,
  capturedMinor,
  refundedMinor,
  refundReservedMinor,
  attempt,
}: AttemptedPayment): boolean {
  if (isOpen(status)) return !isOverAttempt(attempt.state)
  if (status === 'authorized') return true
  const isPaid = status === 'paid' || status === 'partially_refunded'
  return isPaid && capturedMinor - refundedMinor - refundReservedMinor > 0
}
