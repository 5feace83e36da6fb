/**
 * The only writer of a payment's status. One transaction stores the new status, its line in the timeline and its event, with the time
 * at which the event is due. Either all of it is stored, or none.
 */
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { Snapshot } from '../providers/driver.ts'
import { announce } from '../receivers/announce.ts'
import { afterCommit } from '../storage/after-commit.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import type { Attempt } from '../storage/payments/attempt.ts'
import { recordAttempt } from '../storage/payments/attempt-orders.ts'
import { type AttemptedPayment, type Payment, withAttempt } from '../storage/payments/payment.ts'
import {
  type Cause,
  countPaymentChangesTo,
  insertPaymentChange,
} from '../storage/payments/payment-changes.ts'
import { type Finish, finishOpening } from '../storage/payments/payment-creation.ts'
import { insertNewWarning } from '../storage/payments/payment-warnings.ts'
import { lockPayment, updatePaymentStatus } from '../storage/payments/payments.ts'
import { wakeSubscriptionOfPayment } from '../storage/payments/subscriptions.ts'
import { noteMail } from './buyer-mail.ts'
import { hasSameSums, totalOfKind } from './entries/entry.ts'
import type { AttemptReport, Movement, OrderTotals, ReportedDetails } from './entries/movements.ts'
import { ownAttemptSums, recordMovements, warnOfUnclearMoney } from './entries/record.ts'
import { noteFailedRefunds } from './failed-refund.ts'
import { nextQuestionAt } from './question-schedule.ts'
import { noteReceiptsIn } from './receipt-change.ts'
import { canMove, findUnnamedFall, type Sums, sameSums, WITHOUT_EVENT } from './status.ts'
import { presentPayment } from './view.ts'

export type Change = {
  to: PaymentStatus
  cause: Cause
  /** The amounts after the change. If left out, the amounts stay the same. */
  money?: Sums
  detail?: string
  /** The person who decided, if the cause is an operator. */
  actor?: string
  /** Stored for an operator together with the change. */
  warning?: string
  /** What the provider reported about the attempt that it was asked about. */
  attempt?: AttemptReport
  /** The ids of the movements, if a person names them. */
  named?: ReportedDetails
  /** The money of an answer of which the payment takes only a part, or nothing. */
  outside?: OrderTotals
  /** The refunds that the provider names one by one. */
  refunds?: Snapshot['refunds']
  /** The operation that caused it. The event names it. */
  operationId?: string
}

/**
 * `same`: the payment already has this status and these amounts. `refused`: the status table does not allow the change. `moved`: the
 * payment has changed since the provider was asked. In these cases nothing was written.
 */
export type Applied = { outcome: 'changed' | 'same' | 'refused' | 'moved'; payment: AttemptedPayment }

/**
 * What a change was decided about: an answer about this version, while this attempt was the payment's own. `attempt`: the one
 * that was asked about. It becomes the payment's own with the change.
 */
export type QuestionBasis = Pick<Payment, 'version' | 'ownAttempt'> & { attempt: Pick<Attempt, 'number'> }

/**
 * Changes a payment's status in a transaction of its own. The decision is made under the lock of the payment's row. `basis`: as in
 * applyStatusIn.
 * @throws Error when there is no such payment.
 */
export async function applyStatus(
  ctx: Context,
  at: Pick<Payment, 'merchantId' | 'id'>,
  change: Change,
  basis?: QuestionBasis,
): Promise<Applied> {
  return inTransaction(ctx.db, (tx) => applyStatusIn(ctx, tx, at, change, basis))
}

/** Like applyStatus, within the caller's transaction. `basis`: the change is made only to the payment that was asked about. */
export async function applyStatusIn(
  ctx: Context,
  tx: Tx,
  at: Pick<Payment, 'merchantId' | 'id'>,
  change: Change,
  basis?: QuestionBasis,
): Promise<Applied> {
  const before = await lockPayment(tx, at.merchantId, at.id, basis?.attempt.number)
  if (!before) throw new Error(`Bug! There is no payment ${at.id} to change.`)
  if (basis && (before.version !== basis.version || before.ownAttempt !== basis.ownAttempt))
    return { outcome: 'moved', payment: before }
  const money = change.money ?? before
  if (before.status === change.to && sameSums(before, money)) return { outcome: 'same', payment: before }
  if (!mayMove(before, change) || findUnnamedFall(before, { ...money, ...change })) {
    await recordBeyondPayment(ctx, tx, before, change)
    return { outcome: 'refused', payment: before }
  }
  const now = ctx.clock.now()
  const { authorizedMinor, capturedMinor, refundedMinor } = money
  const { underWaySince } = change.attempt ?? before.attempt
  const questionDueAt = nextQuestionAt(
    ctx,
    {
      ...withAttempt(before, { underWaySince }),
      ownAttempt: before.attempt.number,
      status: change.to,
      updatedAt: now,
    },
    0,
  )
  const fiscalStatus = await noteReceiptsIn(ctx, tx, before, { ...money, status: change.to })
  // Stored first, so that the event shows it.
  if (change.attempt) await recordAttempt(tx, before, change.attempt)
  const updated = await updatePaymentStatus(tx, before, {
    status: change.to,
    authorizedMinor,
    capturedMinor,
    refundedMinor,
    fiscalStatus,
    ownAttempt: before.attempt.number,
    at: now,
    questionDueAt,
  })
  const { payment, movements } = await recordChange(tx, updated, change)
  await addToTimeline(tx, before, payment, change)
  // Only the provider can say that a refund failed after all.
  const failedMinor = change.cause === 'provider' ? totalOfKind(movements, 'refund_failed') : 0
  const [failed, ...moreFailed] = await noteFailedRefunds(ctx, tx, payment, failedMinor, change.refunds)
  const operationId = change.operationId ?? (moreFailed.length === 0 ? failed?.id : undefined)
  if (payment.singleAttempt) await wakeSubscriptionOfPayment(tx, payment, now)
  if (!WITHOUT_EVENT.includes(change.to)) await announceChange(ctx, tx, payment, operationId)
  await noteMail(ctx, tx, { before, payment, failedMinor })
  afterCommit(tx, () => noteChange(ctx, before, payment, change))
  return { outcome: 'changed', payment }
}

/** Money that arrives after the merchant's cancel is not the payment's. */
function mayMove({ status, merchantCancelledAt }: Payment, { to, cause }: Change): boolean {
  return canMove(status, to, cause) && (merchantCancelledAt === null || to === 'cancelled')
}

async function announceChange(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  operationId: string | null = null,
): Promise<void> {
  const { merchantId, version, updatedAt: createdAt } = payment
  // Versions count every change. The first event is number 1, so changes without an event are left out.
  const sequence = version - (await countPaymentChangesTo(tx, payment, WITHOUT_EVENT))
  const shown = presentPayment(ctx, payment)
  await announce(ctx, tx, { merchantId, sequence, createdAt, payment: shown, operationId })
}

/** Counts the change, and logs it without its detail and its actor, because people write these. */
function noteChange(
  ctx: Context,
  before: Payment,
  { id: paymentId, status: to }: Payment,
  { cause }: Change,
): void {
  ctx.metrics.statusChanged(to, cause)
  ctx.log.info({ paymentId, from: before.status, to, cause }, 'payment changed')
}

/** Records what the change moves, in the ledger of the attempt that is the payment's own from now on. */
async function recordChange(
  tx: Tx,
  updated: AttemptedPayment,
  change: Change,
): Promise<{ payment: AttemptedPayment; movements: Movement[] }> {
  const { attempt: report, outside, named } = change
  const target = ownAttemptSums(updated, report ?? updated.attempt)
  const { refunds = [], lostElsewhere = [] } = report?.details ?? {}
  if (hasSameSums(updated.attempt, target) && !outside && refunds.length + lostElsewhere.length === 0)
    return { payment: updated, movements: [] }
  const movements = await recordMovements(tx, updated, {
    target,
    details: { ...report?.details, ...named, outside },
    proof: provedByOf(change),
    at: updated.updatedAt,
  })
  if (change.warning === undefined) await warnOfUnclearMoney(tx, updated, movements, updated.updatedAt)
  return { payment: withAttempt(updated, target), movements }
}

/** The status table does not allow the change. Its money is still recorded, outside the payment's sums. */
async function recordBeyondPayment(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  change: Change,
): Promise<void> {
  const { attempt: report, outside = report?.totals } = change
  if (!outside) return
  const details = { outside, transactionId: report?.details.transactionId }
  const at = ctx.clock.now()
  const entered = await recordMovements(tx, payment, { target: null, details, proof: provedByOf(change), at })
  await warnOfUnclearMoney(tx, payment, entered, at)
}

function provedByOf({ cause, actor, detail, attempt }: Change): string {
  if (cause === 'operator') return `operator ${actor ?? ''}`
  if (cause === 'operation') return `operation ${detail ?? ''}`
  return cause === 'provider' ? (attempt?.provedBy ?? 'answer') : cause
}

/** Stores the change, and its warning if it has one, where merchants and operators read a payment's history. */
async function addToTimeline(
  tx: Tx,
  before: Payment,
  { merchantId, id: paymentId, version, updatedAt: createdAt }: Payment,
  { to: toStatus, cause, detail, actor, warning }: Change,
): Promise<void> {
  const of = { merchantId, paymentId, createdAt }
  const change = { cause, detail: detail ?? null, actor: actor ?? null }
  await insertPaymentChange(tx, { ...of, version, fromStatus: before.status, toStatus, ...change })
  if (warning !== undefined) await insertNewWarning(tx, { ...of, detail: warning })
}

/** The fields that a payment gets when its checkout has been opened. */
export type Started = Pick<Attempt, 'providerState' | 'checkoutUrl' | 'form' | 'expiresAt'>

/** Returns the payment with its opened checkout and its first status change. That change sends no event (WITHOUT_EVENT). */
export function asStarted(payment: AttemptedPayment, started: Started, at: Date): AttemptedPayment {
  return {
    ...payment,
    attempt: { ...payment.attempt, ...started, state: 'open', leaseUntil: null },
    status: 'pending_redirect',
    version: payment.version + 1,
    updatedAt: at,
  }
}

/** Stores the opened order, with that first status change of a created payment. Returns false if the status did not change. */
export async function applyStarted(ctx: Context, started: Omit<Finish, 'toStatus'>): Promise<boolean> {
  const changed = await finishOpening(ctx.db, { ...started, toStatus: 'pending_redirect' })
  if (changed) ctx.metrics.statusChanged('pending_redirect', 'request')
  return changed
}
