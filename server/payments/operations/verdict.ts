/**
 * Decides how a money operation ends, and ends it. One transaction stores the operation, the payment and its event, and wakes the
 * next operation.
 */
import type { Context } from '../../context.ts'
import type { Snapshot, WriteResult } from '../../providers/driver.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { type OperationRecord, wakeNextOperation } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import { fromSnapshot } from '../answer-meaning.ts'
import { recordForOtherAttemptIn } from '../attempts/answer.ts'
import { attemptAfter } from '../attempts/attempt.ts'
import { recordLateIn } from '../attempts/late-money.ts'
import { hasSameSums } from '../entries/entry.ts'
import type { MoneyRow } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { isOwn } from '../own-attempt.ts'
import { applyStatusIn, type Change } from '../transition.ts'

/** If the provider works on a write for longer than this, an operator decides. */
export const PENDING_MAX_MS = 30 * 24 * 3_600_000

/** An operation whose write was sent. */
export type SentOperation = OperationRecord & { sentAt: Date }

export type Verdict = {
  kind: 'succeeded' | 'failed' | 'review'
  detail?: string
  /** The provider's last answer. */
  snapshot?: Snapshot
  /** The payment when the provider was asked. If it has changed since, the answer may be older than what is stored. */
  seen?: AttemptedPayment
  providerOperationId?: string | undefined
}

const STATUS = { succeeded: 'succeeded', failed: 'failed', review: 'requires_operator_review' } as const

/** Returns how the operation ends, by the provider's amounts and then by its answer to the write; `wait`: not yet. */
export function decideVerdict(
  ctx: Context,
  { sentAt, lastPendingAt }: SentOperation,
  outcome: ReturnType<MoneyRow['prove']>,
  result: WriteResult,
  mismatch: string | null,
): Verdict | { kind: 'wait'; detail: string } {
  const waitMaxMs = outcome === 'pending' ? PENDING_MAX_MS : ctx.config.operationReviewAfterSeconds * 1000
  // What the provider has just worked on may be missing in one answer, for example of a replica that lags behind.
  const from = outcome === 'pending' ? sentAt : (lastPendingAt ?? sentAt)
  const mayWait = ctx.clock.now().getTime() - from.getTime() < waitMaxMs
  const answer = 'message' in result ? result.message : 'it accepted the request'
  switch (outcome) {
    case 'done_by_key':
      return { kind: 'succeeded' }
    case 'failed_by_key':
      return { kind: 'failed', detail: 'the provider started it and then did not do it' }
    case 'done':
      // Somebody may have made the same write at the provider meanwhile.
      if (result.kind === 'refused')
        return { kind: 'review', detail: `the provider's amounts show it, but it refused: ${answer}` }
      return { kind: 'succeeded' }
    case 'undone':
      if (result.kind === 'refused') return { kind: 'failed', detail: result.message }
      if (mayWait) return { kind: 'wait', detail: `the provider's amounts do not show it yet: ${answer}` }
      if (lastPendingAt)
        return {
          kind: 'review',
          detail:
            'the provider was working on it, shows nothing of it any more, and does not say that it failed',
        }
      return {
        kind: 'review',
        detail: `the provider's amounts do not show it, and its answer does not settle it: ${answer}`,
      }
    case 'pending':
      if (mayWait) return { kind: 'wait', detail: 'the provider is still working on it' }
      return { kind: 'review', detail: 'the provider has been working on it for 30 days' }
    case 'unclear':
      return {
        kind: 'review',
        detail: mismatch ?? "the provider's amounts are neither as before nor as requested",
      }
  }
}

/**
 * Ends an operation with the outcome that the provider reported. Only if it succeeded does the payment take over the amounts.
 * Returns false, and writes nothing, when the payment has changed since the provider was asked.
 */
export async function concludeOperation(
  ctx: Context,
  operation: OperationRecord,
  verdict: Verdict,
): Promise<boolean> {
  const { kind, detail, snapshot, seen, providerOperationId } = verdict
  const { merchantId, paymentId, attempt } = operation
  const ended = await inTransaction(ctx.db, async (tx) => {
    const payment = await lockPayment(tx, merchantId, paymentId ?? '', attempt ?? undefined)
    if (seen && (!payment || isOvertaken(seen, payment))) return 'overtaken'
    const change = { to: STATUS[kind], cause: 'provider', dueAt: null, providerOperationId } as const
    const over = await applyOperationIn(ctx, tx, operation, {
      ...change,
      ...(detail !== undefined && { detail }),
    })
    if (!over || !payment) return null
    if (kind === 'succeeded' && snapshot) await applyDone(ctx, tx, payment, { operation, snapshot })
    if (kind === 'failed' && operation.cause === 'service') await warnOfReturn(tx, over)
    if (kind !== 'review') await wakeNextOperation(tx, operation, ctx.clock.now())
    return over
  })
  if (ended === 'overtaken') return false
  if (!ended) return true
  const level = kind === 'review' ? 'warn' : 'info'
  const { id: operationId, type, status } = ended
  ctx.log[level]({ paymentId, operationId, type, status, detail }, 'operation ended')
  return true
}

/** Returns what the snapshot says about the attempt, for the change of its payment. */
export function attemptReport(
  payment: AttemptedPayment,
  snapshot: Snapshot,
  now: Date,
): Pick<Change, 'attempt'> {
  const report = attemptAfter(payment, { kind: 'found', snapshot }, { withdrawn: false, now })
  return report ? { attempt: report } : {}
}

/** Whether the payment, or the attempt, has changed. The sums of an attempt that is not the payment's own have no version. */
export function isOvertaken(seen: AttemptedPayment, now: AttemptedPayment): boolean {
  if (seen.version !== now.version || seen.ownAttempt !== now.ownAttempt) return true
  return !isOwn(now) && !hasSameSums(seen.attempt, now.attempt)
}

/**
 * What moved is the payment's, or is recorded for the other attempt alone. The payment's sums may be the same as before: another refund
 * may have failed while this one was done. Then both are recorded.
 */
async function applyDone(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  { operation, snapshot }: { operation: OperationRecord; snapshot: Snapshot },
): Promise<void> {
  if (payment.merchantCancelledAt !== null) return recordLateIn(ctx, tx, payment, snapshot)
  const report = attemptReport(payment, snapshot, ctx.clock.now()).attempt
  if (isOwn(payment)) {
    const { id: operationId } = operation
    const change = {
      cause: 'operation',
      detail: operationId,
      operationId,
      ...(report && { attempt: report }),
    } as const
    const { outcome } = await applyStatusIn(ctx, tx, payment, {
      ...fromSnapshot(payment, snapshot),
      ...change,
    })
    if (outcome !== 'same') return
  }
  if (!report) return
  const target = {
    report: { ...report, provedBy: `operation ${operation.id}` },
    target: report,
    outside: null,
  }
  await recordForOtherAttemptIn(ctx, tx, payment, target)
}

/** The service's own operation has nobody else who would read that it failed. */
async function warnOfReturn(tx: Tx, { merchantId, paymentId, ...failed }: OperationRecord): Promise<void> {
  if (paymentId === null) return
  const { id, type, attempt, statusReason, updatedAt: createdAt } = failed
  const detail = `the ${type} ${id} of the money of attempt ${attempt} failed: ${statusReason}`
  await insertPaymentWarning(tx, { merchantId, paymentId, detail, createdAt })
}
