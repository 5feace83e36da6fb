/**
 * Applies what a provider answered about an attempt: to the payment if the attempt is its own, or has brought the first money.
 * Rule: an answer counts only for the payment that was asked about. If it has changed meanwhile, nothing is applied.
 */
import type { Context } from '../../context.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import type { Dispute, LookUpResult, Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { type AttemptSums, listEntries } from '../../storage/payments/entries.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { findHoldingPayment, lockPayment } from '../../storage/payments/payments.ts'
import { type Meaning, meaningOf } from '../answer-meaning.ts'
import { noteMail } from '../buyer-mail.ts'
import { hasSameSums, totalOfKind } from '../entries/entry.ts'
import { findMismatch, findOutside } from '../entries/fit.ts'
import type { AttemptReport, OrderTotals } from '../entries/movements.ts'
import { missingEntries, ownAttemptSums, recordMovements, warnOfUnclearMoney } from '../entries/record.ts'
import { noteFailedRefunds } from '../failed-refund.ts'
import { findForgotten } from '../named-refund.ts'
import { findCause } from '../operation.ts'
import { isOwn } from '../own-attempt.ts'
import { isOpen, OVER_UNPAID } from '../status.ts'
import { applyStatus } from '../transition.ts'
import { afterEndedAttempt, hasMoney } from './attempt.ts'
import { requestReturn } from './duplicate-payment.ts'
import { warn } from './warning.ts'

/**
 * Applies the answer about the payment's own attempt. `report`: what the answer says about that attempt. `moved`: the payment has changed
 * since it was asked about.
 */
export async function applyAnswer(
  ctx: Context,
  payment: AttemptedPayment,
  answer: LookUpResult,
  report: AttemptReport | null,
): Promise<AttemptedPayment | 'moved'> {
  if (answer.kind === 'found' && answer.snapshot.inquiry && !findMismatch(payment, answer.snapshot))
    await warn(ctx, payment, inquiryText(answer.snapshot.inquiry))
  const now = ctx.clock.now()
  const meaning = afterEndedAttempt(payment, await meaningOf(ctx, payment, answer), now)
  const outside = answer.kind === 'found' ? outsideOf(payment, answer.snapshot, meaning) : null
  if (meaning.kind === 'warn') {
    await warn(ctx, payment, meaning.detail)
    return recordForOtherAttempt(ctx, payment, { report, target: null, outside, isWarned: true })
  }
  if (meaning.kind === 'nothing')
    return recordForOtherAttempt(ctx, payment, {
      report,
      target: report && ownAttemptSums(payment, report),
      outside,
      isWarned: payment.status === 'status_unknown',
    })
  const operation = answer.kind === 'found' ? await findCause(ctx, payment, answer.snapshot) : null
  const change = {
    ...meaning.change,
    ...(report && { attempt: report }),
    ...(outside && { outside }),
    ...(operation && { operationId: operation.id }),
  }
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
async function warnOfSecondPayment(ctx: Context, payment: Payment): Promise<void> {
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
  payment: AttemptedPayment,
  answer: LookUpResult,
  report: AttemptReport | null,
): Promise<AttemptedPayment | 'moved'> {
  if (answer.kind !== 'found' || !hasMoney(answer.snapshot)) return payment
  const forgotten = await findForgotten(ctx, payment, answer.snapshot)
  if (forgotten) {
    await warn(ctx, payment, forgotten)
    return payment
  }
  const outside = findOutside(payment, answer.snapshot, false)
  const mismatch = findMismatch(payment, answer.snapshot)
  if (mismatch) {
    await warn(ctx, payment, `attempt ${payment.attempt.number}: ${mismatch}`)
    return recordForOtherAttempt(ctx, payment, { report, target: report, outside, isWarned: true })
  }
  if (isOpen(payment.status) || OVER_UNPAID.includes(payment.status))
    return applyAnswer(ctx, payment, answer, report)
  const entered = await recordForOtherAttempt(ctx, payment, { report, target: report, outside })
  if (entered === 'moved') return entered
  await requestReturn(ctx, account, payment, answer.snapshot, (detail) => warn(ctx, payment, detail))
  return entered
}

/** `payment`, with its attempt: as it was when the provider was asked, or as a person has seen it. */
export type OtherAttemptReport = {
  /** Null if the provider cannot be asked. */
  report: Pick<AttemptReport, 'details' | 'provedBy'> | null
  /** The sums of the attempt from now on; null if they stay as they are. */
  target: AttemptSums | null
  outside: OrderTotals | null
  /** The answer has made a warning already. */
  isWarned?: boolean
}

/**
 * Records what has moved without a change of the payment's status or sums: what is disputed of it, one refund that failed while
 * another one was done, the money of another attempt, and money that the payment cannot take.
 */
async function recordForOtherAttempt(
  ctx: Context,
  payment: AttemptedPayment,
  beside: OtherAttemptReport,
): Promise<AttemptedPayment | 'moved'> {
  const { report, target, outside } = beside
  const { refunds = [], lostElsewhere = [] } = report?.details ?? {}
  const isNamed = (target !== null && refunds.length > 0) || lostElsewhere.length > 0
  if (!isNamed && !outside && (!target || hasSameSums(target, payment.attempt))) return payment
  const entries = await listEntries(ctx.db, payment)
  if (missingEntries(entries, payment, movementsToRecord(beside)).length === 0) return payment
  return inTransaction(ctx.db, (tx) => recordForOtherAttemptIn(ctx, tx, payment, beside))
}

const movementsToRecord = ({ report, target, outside }: OtherAttemptReport) => ({
  target,
  details: { ...report?.details, outside: outside ?? undefined },
})

/** The same within a transaction. `moved`: the payment or the attempt's sums have changed since, and nothing is recorded. */
export async function recordForOtherAttemptIn(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  beside: OtherAttemptReport,
): Promise<AttemptedPayment | 'moved'> {
  const { report, target, isWarned = false } = beside
  const { merchantId, id, version, ownAttempt, attempt } = payment
  const locked = await lockPayment(tx, merchantId, id, attempt.number)
  const at = ctx.clock.now()
  if (locked?.version !== version || locked.ownAttempt !== ownAttempt) return 'moved'
  if (target && !hasSameSums(attempt, locked.attempt)) return 'moved'
  const provedBy = report?.provedBy ?? 'answer'
  const movements = await recordMovements(tx, payment, { ...movementsToRecord(beside), proof: provedBy, at })
  if (!isWarned) await warnOfUnclearMoney(tx, payment, movements, at)
  const own = isOwn(payment)
  const after = { ...payment, attempt: { ...attempt, ...(target && own && disputesOf(target)) } }
  const failedMinor = totalOfKind(movements, 'refund_failed')
  await noteFailedRefunds(ctx, tx, { ...after, updatedAt: at }, failedMinor, report?.details.refunds)
  // The buyer was not told about a return of second money, so he is not told that it failed either.
  const mail = { before: payment, payment: { ...after, updatedAt: at }, failedMinor: own ? failedMinor : 0 }
  await noteMail(ctx, tx, mail)
  return after
}

function outsideOf(payment: AttemptedPayment, snapshot: Snapshot, meaning: Meaning): OrderTotals | null {
  if (meaning.kind !== 'warn') return findOutside(payment, snapshot, false)
  return meaning.isOlder ? null : findOutside(payment, snapshot, true)
}

const disputesOf = ({ disputedMinor, disputeLostMinor }: AttemptSums) => ({ disputedMinor, disputeLostMinor })
