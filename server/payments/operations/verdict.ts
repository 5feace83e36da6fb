/** Decides how a money operation ends, and ends it. One transaction stores the operation, the payment and its event, and wakes the next operation. */
import type { Context } from '../../context.ts'
import type { Snapshot, WriteResult } from '../../providers/driver.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { type OperationRecord, wakeNextOperation } from '../../storage/payments/operations.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import { attemptAfter } from '../attempts/attempt.ts'
import type { MoneyRow } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { fromSnapshot } from '../provider-word.ts'
import { applyStatusIn, type Change } from '../transition.ts'

/** If the provider works on a write for longer than this, an operator decides. */
export const PENDING_MAX_MS = 30 * 24 * 3_600_000

/** An operation whose write was sent. */
export type SentOperation = OperationRecord & { toldAt: Date }

export type Verdict = {
  kind: 'succeeded' | 'failed' | 'review'
  detail?: string
  /** The provider's last answer. */
  snapshot?: Snapshot
  /** The payment's version when the provider was asked. If it has changed since, the answer may be older than what is stored. */
  version?: number
  providerOperationId?: string | undefined
}

const STATUS = { succeeded: 'succeeded', failed: 'failed', review: 'requires_operator_review' } as const

/** Returns how the operation ends, by the provider's amounts and then by its answer to the write; `wait`: not yet. */
export function decideVerdict(
  ctx: Context,
  { toldAt, takenOnAt }: SentOperation,
  proof: ReturnType<MoneyRow['prove']>,
  result: WriteResult,
  mismatch: string | null,
): Verdict | { kind: 'wait'; detail: string } {
  const waitMaxMs = proof === 'pending' ? PENDING_MAX_MS : ctx.config.operationReviewAfterSeconds * 1000
  // What the provider has just worked on may be missing in one answer, for example of a replica that lags behind.
  const from = proof === 'pending' ? toldAt : (takenOnAt ?? toldAt)
  const mayWait = ctx.clock.now().getTime() - from.getTime() < waitMaxMs
  const answer = 'message' in result ? result.message : 'it accepted the request'
  switch (proof) {
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
      if (takenOnAt)
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
  const { kind, detail, snapshot, version, providerOperationId } = verdict
  const ended = await inTransaction(ctx.db, async (tx) => {
    const payment = await lockPayment(tx, operation.merchantId, operation.paymentId ?? '')
    if (version !== undefined && payment?.version !== version) return 'overtaken'
    const change = { to: STATUS[kind], cause: 'provider', dueAt: null, providerOperationId } as const
    const over = await applyOperationIn(ctx, tx, operation, {
      ...change,
      ...(detail !== undefined && { detail }),
    })
    if (!over || !payment) return null
    if (kind === 'succeeded' && snapshot)
      await applyStatusIn(ctx, tx, payment, {
        ...fromSnapshot(payment, snapshot),
        cause: 'operation',
        detail: operation.id,
        ...ofAttempt(payment, snapshot, ctx.clock.now()),
      })
    if (kind !== 'review') await wakeNext(ctx, tx, payment)
    return over
  })
  if (ended === 'overtaken') return false
  if (!ended) return true
  const level = kind === 'review' ? 'warn' : 'info'
  const { id: operationId, paymentId, type, status } = ended
  ctx.log[level]({ paymentId, operationId, type, status, detail }, 'operation ended')
  return true
}

/** Returns what the snapshot says of the attempt, for the change of its payment. */
export function ofAttempt(payment: AttemptedPayment, snapshot: Snapshot, now: Date): Pick<Change, 'attempt'> {
  const said = attemptAfter(payment, { kind: 'found', snapshot }, { withdrawn: false, now })
  return said ? { attempt: said } : {}
}

/** Makes the next operation that waits for this payment due. */
export async function wakeNext(ctx: Context, tx: Tx, { merchantId, id: paymentId }: Payment): Promise<void> {
  await wakeNextOperation(tx, { merchantId, paymentId }, ctx.clock.now())
}
