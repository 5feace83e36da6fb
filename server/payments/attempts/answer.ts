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
import { findHoldingPayment } from '../../storage/payments/paid-orders.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import { type Meaning, meaningOf } from '../answer-meaning.ts'
import { noteMail } from '../buyer-mail.ts'
import { enterMovements, missingEntries, sumsOfOwn, warnOfDoubt } from '../entries/book.ts'
import { hasSameSums, total } from '../entries/entry.ts'
import { findMismatch, findOutside } from '../entries/fit.ts'
import type { Outside, Said } from '../entries/movements.ts'
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
 * Applies the answer about the payment's own attempt. `said`: what the answer says of that attempt. `moved`: the payment has changed
 * since it was asked about.
 */
export async function applyAnswer(
  ctx: Context,
  payment: AttemptedPayment,
  answer: LookUpResult,
  said: Said | null,
): Promise<AttemptedPayment | 'moved'> {
  if (answer.kind === 'found' && answer.snapshot.inquiry && !findMismatch(payment, answer.snapshot))
    await warn(ctx, payment, inquiryText(answer.snapshot.inquiry))
  const now = ctx.clock.now()
  const meaning = afterEndedAttempt(payment, await meaningOf(ctx, payment, answer), now)
  const outside = answer.kind === 'found' ? outsideOf(payment, answer.snapshot, meaning) : null
  if (meaning.kind === 'warn') {
    await warn(ctx, payment, meaning.detail)
    return enterBeside(ctx, payment, { said, target: null, outside, isWarned: true })
  }
  if (meaning.kind === 'nothing')
    return enterBeside(ctx, payment, {
      said,
      target: said && sumsOfOwn(payment, said),
      outside,
      isWarned: payment.status === 'status_unknown',
    })
  const operation = answer.kind === 'found' ? await findCause(ctx, payment, answer.snapshot) : null
  const change = {
    ...meaning.change,
    ...(said && { attempt: said }),
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
  said: Said | null,
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
    return enterBeside(ctx, payment, { said, target: said, outside, isWarned: true })
  }
  if (isOpen(payment.status) || OVER_UNPAID.includes(payment.status))
    return applyAnswer(ctx, payment, answer, said)
  const entered = await enterBeside(ctx, payment, { said, target: said, outside })
  if (entered === 'moved') return entered
  await requestReturn(ctx, account, payment, answer.snapshot, (detail) => warn(ctx, payment, detail))
  return entered
}

/** `payment`, with its attempt: as it was when the provider was asked, or as a person has seen it. */
export type Beside = {
  /** Null if the provider cannot be asked. */
  said: Pick<Said, 'told' | 'proof'> | null
  /** The sums of the attempt from now on; null if they stay as they are. */
  target: AttemptSums | null
  outside: Outside | null
  /** The answer has made a warning already. */
  isWarned?: boolean
}

/**
 * Enters what has moved without a change of the payment's status or sums: what is disputed of it, one refund that failed while
 * another one was done, the money of another attempt, and money that the payment cannot take.
 */
async function enterBeside(
  ctx: Context,
  payment: AttemptedPayment,
  beside: Beside,
): Promise<AttemptedPayment | 'moved'> {
  const { said, target, outside } = beside
  const { refunds = [], lostElsewhere = [] } = said?.told ?? {}
  const isNamed = (target !== null && refunds.length > 0) || lostElsewhere.length > 0
  if (!isNamed && !outside && (!target || hasSameSums(target, payment.attempt))) return payment
  const entries = await listEntries(ctx.db, payment)
  if (missingEntries(entries, payment, toBook(beside)).length === 0) return payment
  return inTransaction(ctx.db, (tx) => enterBesideIn(ctx, tx, payment, beside))
}

const toBook = ({ said, target, outside }: Beside) => ({
  target,
  told: { ...said?.told, outside: outside ?? undefined },
})

/** The same within a transaction. `moved`: the payment or the attempt's sums have changed since, and nothing is entered. */
export async function enterBesideIn(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  beside: Beside,
): Promise<AttemptedPayment | 'moved'> {
  const { said, target, isWarned = false } = beside
  const { merchantId, id, version, ownAttempt, attempt } = payment
  const locked = await lockPayment(tx, merchantId, id, attempt.number)
  const at = ctx.clock.now()
  if (locked?.version !== version || locked.ownAttempt !== ownAttempt) return 'moved'
  if (target && !hasSameSums(attempt, locked.attempt)) return 'moved'
  const proof = said?.proof ?? 'answer'
  const movements = await enterMovements(tx, payment, { ...toBook(beside), proof, at })
  if (!isWarned) await warnOfDoubt(tx, payment, movements, at)
  const own = isOwn(payment)
  const after = { ...payment, attempt: { ...attempt, ...(target && own && disputesOf(target)) } }
  const failedMinor = total(movements, 'refund_failed')
  await noteFailedRefunds(ctx, tx, { ...after, updatedAt: at }, failedMinor, said?.told.refunds)
  // The buyer was not told of a return of second money, so he is not told that it failed either.
  const mail = { before: payment, payment: { ...after, updatedAt: at }, failedMinor: own ? failedMinor : 0 }
  await noteMail(ctx, tx, mail)
  return after
}

function outsideOf(payment: AttemptedPayment, snapshot: Snapshot, meaning: Meaning): Outside | null {
  if (meaning.kind !== 'warn') return findOutside(payment, snapshot, false)
  return meaning.isOlder ? null : findOutside(payment, snapshot, true)
}

const disputesOf = ({ disputedMinor, disputeLostMinor }: AttemptSums) => ({ disputedMinor, disputeLostMinor })
