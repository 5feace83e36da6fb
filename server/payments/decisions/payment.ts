/** An operator decides about a payment: confirms money that arrived on an account, or resolves an unknown outcome. */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import { AppError } from '../../errors.ts'
import type { LookUpResult } from '../../providers/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { findPaymentById, lockPayment } from '../../storage/payments/payments.ts'
import { findShortfall } from '../answer-meaning.ts'
import { askProvider } from '../attempts/ask.ts'
import { withdrawOrder } from '../attempts/provider-order.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { statusOf } from '../derived-status.ts'
import { decimalAmount } from '../money.ts'
import { type Decision, movedMeanwhile, refuseIfMoved } from '../operation.ts'
import { isOpen } from '../status.ts'
import { applyStatus, applyStatusIn, type Change } from '../transition.ts'
import { isReferenceOf, referenceNote, refuseOtherSum, takeReference } from './bank-reference.ts'
import { recordLateTransfer } from './late-transfer.ts'
import { refuseUnseenPart } from './part-taken.ts'

type Money = NonNullable<Change['money']>

const NO_MONEY: Money = { authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
/** If the provider has said what it took or holds, that sum counts, also if it is only a part. */
const captured = ({ amountMinor, authorizedMinor, capturedMinor }: Payment): Money => ({
  authorizedMinor: Math.max(authorizedMinor, capturedMinor) || amountMinor,
  capturedMinor: capturedMinor || amountMinor,
  refundedMinor: 0,
})
const authorized = ({ amountMinor, authorizedMinor }: Payment): Money => ({
  ...NO_MONEY,
  authorizedMinor: authorizedMinor || amountMinor,
})

/** The statuses that an operator may decide, each with its amounts. A decision always concerns all of the payment's money. */
const DECISIONS = {
  paid: captured,
  authorized,
  failed: () => NO_MONEY,
  cancelled: () => NO_MONEY,
  expired: () => NO_MONEY,
  reversed: () => NO_MONEY,
  refunded: (payment) => ({ ...captured(payment), refundedMinor: captured(payment).capturedMinor }),
  disputed: captured,
} as const satisfies Partial<Record<PaymentStatus, (payment: Payment) => Money>>

export type DecidedStatus = keyof typeof DECISIONS
export const DECIDED_STATUSES = Object.keys(DECISIONS) as DecidedStatus[]
/** The only decisions for an open payment whose provider cannot be asked. That its money arrived is confirmed by confirmPayment. */
const GIVEN_UP: readonly DecidedStatus[] = ['failed', 'cancelled', 'expired']

/** What a person read in the bank's statement. `accepts`: another amount than the payment's counts as its money. */
type Arrived = { reference: string; amountMinor?: number | undefined; accepts?: boolean | undefined }

/** @throws AppError payment_not_eligible for another amount than the payment's, unless the person accepts it */
function refuseOtherAmount({ id, amountMinor, currency }: Payment, arrived: Arrived): void {
  if (arrived.amountMinor === undefined || arrived.amountMinor === amountMinor || arrived.accepts) return
  const [due, came] = [amountMinor, arrived.amountMinor].map(
    (minor) => `${decimalAmount(minor, currency)} ${currency}`,
  )
  throw new AppError('payment_not_eligible', {
    message: `The payment ${id} is for ${due}, and ${came} has arrived. Nothing was stored. Confirm it again and accept the other amount if the order counts as paid. Else return the money, and end the payment.`,
  })
}

/** A sum below the amount is the sum that was taken. A sum above it is recorded outside the payment, and somebody has to return it. */
function arrivedMoney(
  payment: Payment,
  { reference, amountMinor = payment.amountMinor }: Arrived,
): Pick<Change, 'money' | 'detail' | 'named' | 'outside' | 'warning'> {
  const { currency } = payment
  const taken = Math.min(amountMinor, payment.amountMinor)
  const named = { transactionId: reference }
  const money = { authorizedMinor: taken, capturedMinor: taken, refundedMinor: 0 }
  const note = referenceNote(reference)
  if (amountMinor === payment.amountMinor) return { money, named, detail: note }
  const detail = `${note}: ${decimalAmount(amountMinor, currency)} ${currency} arrived`
  const surplus = decimalAmount(amountMinor - taken, currency)
  if (amountMinor === taken) return { money, named, detail }
  return {
    money,
    named,
    detail: `${detail}, of which ${surplus} is too much`,
    outside: { currency, cameMinor: amountMinor, returnedMinor: 0 },
    warning: `${surplus} ${currency} more than the amount arrived: return it, and note the bank reference of that transfer`,
  }
}

/**
 * Marks a payment as paid whose provider cannot be asked. The operator has seen the money on the account, under this bank
 * reference. `confirmed` is false when the payment was already confirmed by the same reference, however it was typed.
 * @throws AppError payment_not_found, payment_not_eligible
 */
export async function confirmPayment(
  ctx: Context,
  paymentId: string,
  { actor, version, ...arrived }: Arrived & Omit<Decision, 'why'>,
): Promise<{ payment: AttemptedPayment; confirmed: boolean }> {
  const seen = await getPayment(ctx, paymentId)
  const { merchantId, attempt } = seen
  const { accountId } = attempt
  if ((await findAccount(ctx, accountId))?.driver.lookUp)
    throw new AppError('payment_not_eligible', {
      message: `The provider of ${attempt.provider} reports by itself whether a payment was paid. You can only confirm a payment whose provider cannot be asked.`,
    })
  const { reference } = arrived
  return inTransaction(ctx.db, async (tx) => {
    const payment = (await lockPayment(tx, merchantId, paymentId)) as AttemptedPayment
    if (await isReferenceOf(tx, payment.attempt, reference)) {
      await refuseOtherSum(tx, payment, arrived)
      return { payment, confirmed: false }
    }
    const changes = await listPaymentChanges(tx, merchantId, paymentId)
    const before = changes.find(({ cause, toStatus }) => cause === 'operator' && toStatus === 'paid')
    const by = before?.detail ? ` It was confirmed by ${before.detail}.` : ''
    if (!before && payment.merchantCancelledAt !== null) {
      refuseIfMoved(payment, version ?? seen.version)
      await recordLateTransfer(ctx, tx, payment, { actor, ...arrived })
      return { payment, confirmed: true }
    }
    if (!before) {
      refuseIfMoved(payment, version ?? seen.version)
      refuseOtherAmount(payment, arrived)
      const change = { to: 'paid', cause: 'operator', actor, ...arrivedMoney(payment, arrived) } as const
      const applied = await applyStatusIn(ctx, tx, payment, change)
      if (applied.outcome === 'changed') {
        await takeReference(ctx, tx, payment.attempt, reference)
        return { payment: applied.payment, confirmed: true }
      }
    }
    throw new AppError('payment_not_eligible', {
      message: `The payment ${paymentId} is ${payment.status}, so it cannot be confirmed by ${referenceNote(reference)}.${by}`,
    })
  })
}

export type Resolved = {
  payment: AttemptedPayment
  /** The provider's answer just before the decision; null when the provider cannot be asked. */
  providerAnswer: string | null
  /** True when the provider's answer contradicts the decision. */
  disagrees: boolean
}

/**
 * Applies an operator's decision about a payment with an unknown outcome, or about an open payment whose provider cannot be asked.
 * A provider that can be asked is asked first. If the payment changes before the decision is stored, nothing is stored.
 * `accepts`: the sum that the person accepts in place of the whole amount, if less was taken.
 * @throws AppError payment_not_found, payment_not_eligible
 */
export async function resolvePayment(
  ctx: Context,
  paymentId: string,
  as: DecidedStatus,
  { actor, why, version, accepts }: Decision & { accepts?: number | undefined },
): Promise<Resolved> {
  const payment = await getPayment(ctx, paymentId)
  refuseIfMoved(payment, version ?? payment.version)
  const account = await findAccount(ctx, payment.attempt.accountId)
  const answer = account?.driver.lookUp ? await askProvider(ctx, account, payment) : null
  const now = answer ? await askAboutPayment(ctx, payment, answer) : payment
  refuseIfMoved(now, payment.version)
  refuseUndecidable(now, as, answer === null)
  refuseUnseenPart(now, as, accepts)
  const answerNow = answer && answerText(now, answer)
  const disagrees = answer !== null && contradicts(now, answer, as)
  const change = { to: as, cause: 'operator', money: DECISIONS[as](now), actor } as const
  const detail = [why, disagrees && `(the provider: ${answerNow})`].filter(Boolean).join(' ')
  const applied = await applyStatus(ctx, now, { ...change, ...(detail && { detail }) }, now)
  if (applied.outcome === 'moved') throw movedMeanwhile(applied.payment)
  // Nobody should pay an order that a person has given up. A provider that still works on it is left alone.
  const isPayable = GIVEN_UP.includes(as) && !applied.payment.attempt.underWaySince
  if (applied.outcome === 'changed' && account && isPayable)
    await withdrawOrder(ctx, account, applied.payment)
  if (applied.outcome !== 'refused') return { payment: applied.payment, providerAnswer: answerNow, disagrees }
  throw new AppError('payment_not_eligible', {
    message: `The payment is ${applied.payment.status} and cannot become ${as}.`,
  })
}

/** `isUnreported`: the provider cannot be asked. @throws AppError payment_not_eligible */
function refuseUndecidable(payment: Payment, as: DecidedStatus, isUnreported: boolean): void {
  if (payment.status === 'status_unknown') return
  const mayGiveUp = isUnreported && isOpen(payment.status)
  if (mayGiveUp && GIVEN_UP.includes(as)) return
  if (mayGiveUp)
    throw new AppError('payment_not_eligible', {
      message: `The payment is ${payment.status}. If its money has arrived, confirm the payment with the bank's reference instead.`,
      next: [{ act: 'confirm_payment', paymentId: payment.id }],
    })
  throw new AppError('payment_not_eligible', {
    message: `The payment is ${payment.status}. You can only decide about a payment that is status_unknown.`,
  })
}

function answerText(payment: Payment, answer: LookUpResult): string {
  if (answer.kind === 'found')
    return [statusOf(answer.snapshot), findShortfall(payment, answer.snapshot, null)]
      .filter(Boolean)
      .join(', ')
  return answer.kind === 'not_found' ? 'no such order' : `no answer (${answer.message})`
}

function contradicts(payment: Payment, answer: LookUpResult, as: DecidedStatus): boolean {
  if (answer.kind === 'unavailable') return false
  if (answer.kind === 'not_found') return !GIVEN_UP.includes(as)
  if (findShortfall(payment, answer.snapshot, null)) return true
  return ![as, 'status_unknown'].includes(statusOf(answer.snapshot))
}

async function getPayment(ctx: Context, paymentId: string): Promise<AttemptedPayment> {
  const payment = await findPaymentById(ctx.db, paymentId)
  if (payment) return payment
  throw new AppError('payment_not_found', { message: `There is no payment ${paymentId}.` })
}
