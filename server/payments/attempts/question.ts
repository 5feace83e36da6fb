/**
 * Asks the provider how a payment stands, and applies the answer. The buyer's return, a callback, a look-up and the schedule all
 * use this file, so that there is only one place where a payment learns about its money.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { LookUpResult, Snapshot } from '../../providers/driver.ts'
import type { GateLane } from '../../providers/http.ts'
import type { Account } from '../../providers/registry.ts'
import { chooseOwnAttempt, recordAttempt } from '../../storage/payments/attempt-orders.ts'
import { updateQuestionDue } from '../../storage/payments/attempts.ts'
import { type AttemptedPayment, withAttempt } from '../../storage/payments/payment.ts'
import { findPaymentAttempt } from '../../storage/payments/payments.ts'
import { updateProviderState } from '../../storage/payments/provider-orders.ts'
import { isPayable, isUnderWay, withApproval } from '../derived-status.ts'
import { isOwn } from '../own-attempt.ts'
import { AFTER_EXPIRY_MS, isSettled, nextQuestionAt, pauseWithoutAnswerMs } from '../question-schedule.ts'
import { canExpire, isOpen } from '../status.ts'
import { applyStatus } from '../transition.ts'
import { applyAnswer, applyToOther } from './answer.ts'
import { askProvider, isAnswered, isComplete } from './ask.ts'
import { attemptAfter, firstStepOf, isUnopened, mayHavePayableOrder } from './attempt.ts'
import { noteDecline } from './card-testing.ts'
import { nameOf, runSharedQuestion } from './in-flight.ts'
import { isLateMoney, takeLateMoney } from './late-money.ts'
import { type Opening, resumeOpening } from './opening.ts'
import { mayGoOnOpening } from './order.ts'
import { finalizeOrder, withdrawOrder } from './provider-order.ts'
import { mailTransfer } from './transfer-mails.ts'
import { warn } from './warning.ts'

/** While one process asks about a payment, other processes skip the payment for this long. */
export const QUESTION_LEASE_MS = 60_000

/**
 * `isDefinite`: the provider said how the order stands, so the next question may wait for its usual time. `opening`: what came of an
 * order that had to be opened first.
 */
export type QuestionResult = {
  payment: AttemptedPayment
  isDefinite: boolean
  opening?: Opening
  /** Somebody else is taking the approved order's money now. */
  isBeingTaken?: boolean
}

/** How often an answer that came too late is asked for again at once. The schedule asks after that. */
const REPEATS_MAX = 3

/**
 * Asks the provider and applies the answer. Returns the payment in its new state.
 * `answer`: an answer that the caller just got; the provider is then not asked again.
 */
export async function askAboutPayment(
  ctx: Context,
  payment: AttemptedPayment,
  answer?: LookUpResult,
): Promise<AttemptedPayment> {
  return (await askAboutAttempt(ctx, payment, { answer })).payment
}

/** `isLeaving`: the buyer wants to pay in another way, so an order that nobody has begun to pay is withdrawn where the provider can. */
type Asking = { answer?: LookUpResult | undefined; lane?: GateLane | undefined; isLeaving?: boolean }

/**
 * As askAboutPayment, about the attempt with which the payment was read. An answer counts only for the payment that was asked
 * about: if it has changed meanwhile, the provider is asked again.
 */
export function askAboutAttempt(
  ctx: Context,
  payment: AttemptedPayment,
  options: Asking = {},
): Promise<QuestionResult> {
  return runSharedQuestion(ctx, nameOf(payment), () => askUntilApplied(ctx, payment, options))
}

async function askUntilApplied(
  ctx: Context,
  payment: AttemptedPayment,
  { answer, ...asking }: Asking,
): Promise<QuestionResult> {
  let questioned = payment
  let given = answer
  for (let repeats = 0; repeats <= REPEATS_MAX; repeats++) {
    const result = await askOnce(ctx, questioned, { ...asking, answer: given })
    if (result !== 'moved') return result
    ctx.log.info({ paymentId: payment.id }, 'provider answer came too late to apply')
    // A proof is all that its provider will ever say, so it is applied again.
    given = (await findAccount(ctx, payment.attempt.accountId))?.driver.lookUp ? undefined : answer
    questioned = (await findPaymentAttempt(ctx.db, payment.attempt)) ?? payment
  }
  return { payment: questioned, isDefinite: false }
}

async function askOnce(
  ctx: Context,
  payment: AttemptedPayment,
  { answer: given, lane, isLeaving = false }: Asking,
): Promise<QuestionResult | 'moved'> {
  if (isUnopened(payment.attempt.state)) return expireUnopened(ctx, payment)
  // The schedule reads from memory whether the account's provider calls back.
  await ctx.accounts.read()
  if (!given && mayGoOnOpening(ctx, payment)) {
    const opening = await resumeOpening(ctx, payment)
    if (opening?.kind === 'answered') return askOnce(ctx, payment, { answer: opening.answer, lane })
    if (!opening) return { payment, isDefinite: false }
    // The provider has said that nobody has come to the order that was left.
    const isDefinite = opening.kind === 'open' || opening.payment.attempt.state === 'lost'
    return { payment: opening.payment, isDefinite, opening }
  }
  const account = await findAccount(ctx, payment.attempt.accountId)
  if (!account || (!given && !isAnswered(account.driver))) return { payment, isDefinite: account !== null }
  const first = given ?? (await askProvider(ctx, account, payment, { lane }))
  const {
    answer: whole,
    withdrawn,
    isBeingTaken,
  } = await tendOrder(ctx, account, payment, { answer: first, lane, isLeaving })
  const answer = payment.merchantCancelledAt === null ? firstStepOf(payment, whole) : whole
  const isDefinite = isComplete(answer)
  const report = attemptAfter(payment, answer, { withdrawn, now: ctx.clock.now() })
  // A proof is all that its provider will ever say.
  if (report && !account.driver.lookUp) report.provedBy = 'callback'
  const { attempt } = payment
  const details = {
    state: report?.state ?? attempt.state,
    facts: report?.facts ?? attempt.facts,
    underWaySince: report ? report.underWaySince : attempt.underWaySince,
  }
  const seen = withAttempt(payment, details)
  const result = await (isLateMoney(seen, answer)
    ? takeLateMoney(ctx, account, seen, answer.snapshot)
    : isOwn(payment)
      ? applyAnswer(ctx, seen, answer, report)
      : applyToOther(ctx, account, seen, answer, report))
  // After the first step the rest of the answer is about another state of the payment.
  if (result === 'moved' || (answer !== whole && result.version !== payment.version)) return 'moved'
  // A change of the payment has stored it too.
  if (report && result.version === payment.version) await recordAttempt(ctx.db, payment, report)
  await noteDecline(ctx, payment, details)
  if ((details.underWaySince === null) !== (attempt.underWaySince === null))
    await chooseOwnAttempt(ctx.db, result)
  return { payment: withAttempt(result, details), isDefinite, isBeingTaken }
}

/** There is no order, so nobody needs to be asked: the payment ends when its time has passed. */
async function expireUnopened(ctx: Context, payment: AttemptedPayment): Promise<QuestionResult | 'moved'> {
  if (!canExpire(payment.status) || ctx.clock.now() < payment.expiresAt) return { payment, isDefinite: true }
  const change = {
    to: 'expired',
    cause: 'expiry',
    detail:
      payment.attempt.state === 'refused'
        ? 'expired; the provider opened no order'
        : 'expired; nobody went on to the provider',
  } as const
  const { outcome, payment: after } = await applyStatus(ctx, payment, change, payment)
  return outcome === 'moved' ? outcome : { payment: after, isDefinite: true }
}

/**
 * Does what the answer calls for at the provider before it is applied: takes the money of an approved order, or withdraws an
 * order that nobody should pay any more. Returns the provider's answer after that. Stores the order's state of both answers.
 */
async function tendOrder(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  { answer, lane, isLeaving }: { answer: LookUpResult; lane: GateLane | undefined; isLeaving: boolean },
): Promise<{ answer: LookUpResult; withdrawn: boolean; isBeingTaken: boolean }> {
  if (answer.kind !== 'found') return { answer, withdrawn: false, isBeingTaken: false }
  if (answer.state !== undefined) await updateProviderState(ctx.db, payment.attempt, answer.state)
  const order = answer.state === undefined ? payment : withAttempt(payment, { providerState: answer.state })
  const isToEnd =
    isUnwanted(ctx, payment, answer.snapshot) || (isLeaving && mayBeLeft(payment, answer.snapshot))
  const withdrawn = isToEnd && (await withdrawOrder(ctx, account, order))
  // The buyer has left the order, and may be paying in another way now.
  const isApproved =
    !withdrawn && answer.snapshot.order === 'approved' && payment.attempt.state !== 'withdrawn'
  const tried = isApproved ? await finalizeOrder(ctx, account, order) : null
  const isBeingTaken = isApproved && !tried && account.driver.finalize !== undefined
  if (!withdrawn && !tried) return { answer, withdrawn, isBeingTaken }
  const after = await askProvider(ctx, account, order, { lane })
  if (after.kind === 'found' && after.state !== undefined)
    await updateProviderState(ctx.db, payment.attempt, after.state)
  if (!tried || after.kind !== 'found') return { answer: after, withdrawn, isBeingTaken }
  const snapshot = withApproval(after.snapshot, tried.isRefused)
  return { answer: { ...after, snapshot }, withdrawn, isBeingTaken }
}

/** Whether the order can still be paid although its payment has expired, or needs it no more. */
function isUnwanted(ctx: Context, payment: AttemptedPayment, snapshot: Snapshot): boolean {
  if (isUnderWay(snapshot) || !isPayable(snapshot) || !mayHavePayableOrder(payment.attempt.state))
    return false
  if (!isOwn(payment)) return true
  if (payment.status === 'status_unknown') return false
  // The money of an order that was approved in time is taken a little after the expiry, too.
  const endsAt = payment.expiresAt.getTime() + (snapshot.order === 'approved' ? AFTER_EXPIRY_MS : 0)
  return ctx.clock.now().getTime() >= endsAt || !isOpen(payment.status)
}

/** Whether nobody has begun to pay the open order. */
function mayBeLeft({ attempt }: AttemptedPayment, snapshot: Snapshot): boolean {
  const isBegun = isUnderWay(snapshot) || snapshot.order === 'approved'
  return attempt.state === 'open' && isPayable(snapshot) && !isBegun
}

/** A payment whose provider gives no definite answer for so long after the expiry is unknown. */
const UNKNOWN_AFTER_MS = 24 * 3_600_000

/** Asks a question that is due, and schedules the next one. A status change already schedules the next question. */
export async function askDue(ctx: Context, due: AttemptedPayment): Promise<void> {
  if (await mailTransfer(ctx, due)) return
  const { payment, isDefinite } = await askAboutAttempt(ctx, due, { lane: 'schedule' })
  // The order was lost, and another one is the payment's now. Each has its own schedule.
  if (payment.version !== due.version || payment.attempt.number !== due.attempt.number) return
  const now = ctx.clock.now()
  const isLost =
    !isDefinite &&
    !payment.attempt.underWaySince &&
    now.getTime() >= due.expiresAt.getTime() + UNKNOWN_AFTER_MS
  if (isLost && isOwn(payment) && canExpire(payment.status)) {
    const detail = 'the provider gave no definite answer for a day after the payment expired'
    await applyStatus(ctx, payment, { to: 'status_unknown', cause: 'provider', detail }, payment)
    return
  }
  const scheduled = nextQuestionAt(ctx, payment, due.attempt.questionAttempts)
  const isForPerson = !scheduled && payment.status === 'status_unknown' && isOwn(payment)
  const pauseEnd = new Date(now.getTime() + pauseWithoutAnswerMs(ctx, due.attempt.questionAttempts))
  // While somebody is opening the order, there is nothing to do before the lease ends.
  const { leaseUntil } = payment.attempt
  const again = leaseUntil && leaseUntil > now ? leaseUntil : pauseEnd
  // A question without a definite answer is asked again soon, also where the schedule has only one question until the expiry. Only
  // the last question about a settled payment is not: its provider may be gone for ever.
  const isLast = isForPerson || (!scheduled && isSettled(payment.status))
  const isEarlier = !isDefinite && !isLast && !(scheduled && scheduled < again)
  await updateQuestionDue(ctx.db, due.attempt, isEarlier ? again : scheduled)
  if (!isForPerson) return
  await warn(
    ctx,
    payment,
    'unclear for a week: the schedule no longer asks the provider, and an operator has to decide',
  )
}
