/**
 * Applies what a provider answered about an attempt: to the payment if the attempt is its own, or has brought the first money.
 * Rule: an answer counts only for the payment that was asked about. If it has changed meanwhile, nothing is applied.
 */
import type { Context } from '../../context.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import type { Dispute, LookUpResult } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { SaidOfAttempt } from '../../storage/payments/attempt-orders.ts'
import { findHoldingPayment } from '../../storage/payments/paid-orders.ts'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'
import type { PaymentRecord } from '../../storage/payments/payments.ts'
import { findMismatch, meaningOf } from '../provider-word.ts'
import { isOpen, OVER_UNPAID } from '../status.ts'
import { applyStatus } from '../transition.ts'
import { afterEndedAttempt, hasMoney } from './attempt.ts'
import { returnMoney } from './second-money.ts'

/**
 * Applies the answer about the payment's own attempt. `said`: what the answer says of that attempt. `moved`: the payment has changed
 * since it was asked about.
 */
export async function applyAnswer(
  ctx: Context,
  payment: PaymentRecord,
  answer: LookUpResult,
  said: SaidOfAttempt | null,
): Promise<PaymentRecord | 'moved'> {
  if (answer.kind === 'found' && answer.snapshot.inquiry && !findMismatch(payment, answer.snapshot))
    await warn(ctx, payment, inquiryText(answer.snapshot.inquiry))
  const now = ctx.clock.now()
  const meaning = afterEndedAttempt(payment, await meaningOf(ctx, payment, answer), now)
  if (meaning.kind === 'nothing') return payment
  if (meaning.kind === 'warn') {
    await warn(ctx, payment, meaning.detail)
    return payment
  }
  const change = { ...meaning.change, ...(said && { attempt: said }) }
  const applied = await applyStatus(ctx, payment, change, payment)
  if (applied.outcome === 'moved') return 'moved'
  // The status table does not allow the change any more. The next question starts from the new status.
  if (applied.outcome === 'refused')
    ctx.log.info(
      { paymentId: payment.id, from: applied.payment.status, to: meaning.change.to },
      'provider answer does not fit the status',
    )
  if (applied.outcome === 'changed' && WITH_NEW_MONEY.includes(applied.payment.status))
    await warnOfSecondPayment(ctx, applied.payment)
  return applied.payment
}

/** No money has moved, so the payment stays as it is, and a person decides. */
function inquiryText({ amountMinor, reason, answerBy }: Dispute): string {
  const about = `the buyer's bank or the provider asks about ${amountMinor} minor units${reason ? ` (${reason})` : ''}`
  const until = answerBy ? ` before ${answerBy}` : ''
  return `${about}: refund the payment, or answer at the provider${until}; without that it can become a dispute`
}

const WITH_NEW_MONEY: readonly PaymentStatus[] = ['authorized', 'paid']

/** One order of the shop, two payments with money: a person has to give one of them back. */
async function warnOfSecondPayment(ctx: Context, payment: PaymentRecord): Promise<void> {
  const other = await findHoldingPayment(ctx.db, payment)
  if (!other) return
  const detail = `another payment of the order ${payment.merchantOrderId} is ${other.status}: the buyer may have paid twice`
  await warn(ctx, payment, detail)
}

/**
 * The attempt is not the payment's own. If it has the first money, it becomes the payment's own. Money besides that of the
 * payment goes back to the buyer.
 */
export async function applyToOther(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
  answer: LookUpResult,
  said: SaidOfAttempt | null,
): Promise<PaymentRecord | 'moved'> {
  if (answer.kind !== 'found' || !hasMoney(answer.snapshot)) return payment
  const mismatch = findMismatch(payment, answer.snapshot)
  if (mismatch) await warn(ctx, payment, `attempt ${payment.attempt}: ${mismatch}`)
  if (mismatch) return payment
  if (isOpen(payment.status) || OVER_UNPAID.includes(payment.status))
    return applyAnswer(ctx, payment, answer, said)
  await returnMoney(ctx, account, payment, answer.snapshot, (detail) => warn(ctx, payment, detail))
  return payment
}

/** Stores a warning about a provider answer that does not fit this payment, and logs it the first time. */
export async function warn(
  ctx: Context,
  { merchantId, id: paymentId }: PaymentRecord,
  detail: string,
): Promise<void> {
  const warning = { merchantId, paymentId, detail, createdAt: ctx.clock.now() }
  if (await insertPaymentWarning(ctx.db, warning))
    ctx.log.warn({ paymentId, detail }, 'provider answer does not fit the payment')
}
