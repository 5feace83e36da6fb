/**
 * Carries out refunds, captures and voids. The steps: ask the provider, store its answer together with the time at which we send
 * the write (`sentAt`), send the write, ask again, and compare the amounts before and after.
 * Rule: once `sentAt` is stored, the write is not sent again, unless the provider still knows our key and its records say that
 * nothing was done, and SENDS_MAX times at most. If the provider's amounts do not prove the outcome, an operator decides.
 * After a crash at any line, the next run continues from the stored state.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { Snapshot, WriteResult } from '../../providers/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import { markOperationResent, unmarkOperationSent } from '../../storage/payments/operation-sends.ts'
import {
  listOpenOperations,
  markOperationSent,
  type OperationRecord,
  rescheduleOperation,
  wakeNextOperation,
} from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import { askProvider } from '../attempts/ask.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { findMismatch } from '../entries/fit.ts'
import { findNamed, writeNameOf } from '../named-refund.ts'
import { findPaymentOf, isMoneyOperation, type MoneyRow, OPERATION_TABLE } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { findDoubt } from './doubt.ts'
import { RECHECK_WAITING_MS } from './money.ts'
import { findObstacle, isUndone, sendWrite, type Work } from './send.ts'
import { concludeOperation, decideVerdict, type SentOperation } from './verdict.ts'
import {
  endIfUntaken,
  isKeyKnown,
  retryLater,
  retryUnsent,
  waitForAnswer,
  waitForRestore,
} from './waiting.ts'

/** How often a write is sent at most, counting the first time. */
const SENDS_MAX = 5
/** If the payment changes each time while the provider is asked, a later run asks again. */
const LOOKS_MAX = 3
const LOST = { kind: 'unknown', message: "the provider's answer was lost" } as const satisfies WriteResult
/** An earlier run sent the write. Later sendings may not have been taken. */
function lostOf({ sentAt, notTakenSince }: OperationRecord): WriteResult {
  if (!sentAt || !notTakenSince || notTakenSince < sentAt) return LOST
  return { ...LOST, message: `${LOST.message}, and it did not take the request when it was sent again` }
}
const lostAndNot = (obstacle: string): WriteResult => ({
  ...LOST,
  message: `${LOST.message}, and the request is not sent again, because ${obstacle}`,
})

/** Works once on an operation that is due. If it throws, a later run continues from the stored state. */
export async function workOnOperation(ctx: Context, due: OperationRecord): Promise<void> {
  if (await waitForRestore(ctx, due)) return
  const operation = due.status === 'queued' ? await startIfNext(ctx, due) : due
  if (operation?.status !== 'processing' || !isMoneyOperation(operation.type)) return
  const payment = await findPaymentOf(ctx, operation)
  if (!payment) throw new Error(`Bug! Operation ${operation.id} has no payment.`)
  const row: MoneyRow = OPERATION_TABLE[operation.type]
  const account = await findAccount(ctx, payment.attempt.accountId)
  if (!account?.driver[row.method])
    return waitForAnswer(
      ctx,
      operation,
      `the provider account ${payment.attempt.accountId} cannot do this now`,
    )
  const work = { operation, payment, account, row }
  if (operation.sentAt) return continueSent(ctx, work)
  if (await endIfUntaken(ctx, operation)) return
  const sent = await prepareWrite(ctx, work)
  if (!sent) return
  const result = await sendWrite(ctx, work, sent, sent.sentAt)
  if (!isUndone(result)) return verify(ctx, { ...work, operation: sent }, result)
  // A refused account does not decide the operation. It is sent when the account is accepted again.
  const isRefused = result.kind === 'rejected'
  const unsent = await unmarkOperationSent(ctx.db, sent, { now: ctx.clock.now(), isRefused })
  await retryUnsent(ctx, unsent ?? operation, result)
}

/** The write was sent in an earlier run. The provider is asked before the write may be sent again. */
async function continueSent(ctx: Context, work: Work): Promise<void> {
  const look = await viewProvider(ctx, work)
  if (!look) return
  const lost = lostOf(work.operation)
  if (look.outcome !== 'undone' || !isKeyKnown(ctx, work, work.row.method))
    return verify(ctx, work, lost, look)
  // The payment may have changed since the first time: the buyer may have opened a dispute.
  const obstacle = findObstacle(ctx, { ...work, payment: look.payment }, look.snapshot)
  if (obstacle) return verify(ctx, work, lostAndNot(obstacle), look)
  const now = ctx.clock.now()
  const again = await markOperationResent(ctx.db, work.operation, SENDS_MAX)
  if (!again) return verify(ctx, work, lost, look)
  const result = await sendWrite(ctx, work, again, now)
  if (!isUndone(result)) return verify(ctx, work, result)
  const before = await unmarkOperationSent(ctx.db, again, { now, isRefused: false })
  // While the provider knows the key, only an answer to it settles what became of the earlier request.
  if (result.kind === 'not_taken') return retryUnsent(ctx, before ?? work.operation, result)
  return verify(ctx, work, lost)
}

/** Starts the operation if it is the oldest queued one of its attempt, and no other one is running. Else returns null. */
async function startIfNext(ctx: Context, queued: OperationRecord): Promise<OperationRecord | null> {
  return inTransaction(ctx.db, async (tx) => {
    const payment = await lockPayment(tx, queued.merchantId, queued.paymentId ?? '')
    if (!payment) throw new Error(`Bug! Operation ${queued.id} has no payment.`)
    const open = await listOpenOperations(tx, payment.merchantId, payment.id, queued.attempt)
    const busy = open.some((each) => each.status !== 'queued')
    if (busy || open[0]?.id !== queued.id) {
      const now = ctx.clock.now()
      await rescheduleOperation(tx, queued, { dueAt: new Date(now.getTime() + RECHECK_WAITING_MS) })
      // An operation with a lower id may have been committed after this one was woken.
      if (!busy) await wakeNextOperation(tx, queued, now)
      return null
    }
    const dueAt = new Date(ctx.clock.now().getTime() + ctx.config.operationLeaseSeconds * 1000)
    return applyOperationIn(ctx, tx, queued, { to: 'processing', cause: 'provider', dueAt })
  })
}

/**
 * Asks the provider, and stores its answer and the time at which the write is sent. Returns null when the write must not be sent
 * now: the operation has then ended, is retried later, or another process is sending it.
 */
async function prepareWrite(ctx: Context, work: Work): Promise<OperationRecord | null> {
  const { operation, payment, account } = work
  const answer = await askProvider(ctx, account, payment, { lane: 'money' })
  if (answer.kind !== 'found') {
    const why = answer.kind === 'unavailable' ? answer.message : 'the provider does not know the order'
    await waitForAnswer(ctx, operation, why)
    return null
  }
  const now = await askAboutPayment(ctx, payment, answer)
  const { snapshot } = answer
  // The provider knows this refund already, because this database is older than the refund. It is not sent again.
  if (findNamed(snapshot.refunds ?? [], writeNameOf(operation)).length > 0) {
    const marked = await markOperationSent(ctx.db, operation, snapshot, ctx.clock.now())
    if (marked) await verify(ctx, { ...work, operation: marked }, LOST)
    return null
  }
  const doubt = await findDoubt(ctx, work, snapshot)
  const obstacle = findObstacle(ctx, { ...work, payment: now }, snapshot)
  if (doubt || obstacle) {
    const detail = doubt ?? `${obstacle}; nothing was done`
    await concludeOperation(ctx, operation, { kind: doubt ? 'review' : 'failed', detail })
    return null
  }
  return markOperationSent(ctx.db, operation, snapshot, ctx.clock.now())
}

/**
 * Decides by the provider's amounts. The provider's answer to the write is only a hint. `look`: what the provider has just said;
 * without it, the provider is asked.
 */
async function verify(ctx: Context, sent: Work, result: WriteResult, look?: ProviderView): Promise<void> {
  const named = 'operationId' in result ? result.operationId : undefined
  const providerOperationId = named ?? sent.operation.providerOperationId
  const work = { ...sent, operation: { ...sent.operation, providerOperationId } }
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const latest = looks === 0 && look ? look : await viewProvider(ctx, work)
    if (!latest || (await decide(ctx, work, result, latest))) return
  }
  await retryLater(ctx, work.operation, 'the payment changed while the provider was asked')
}

type ProviderView = {
  snapshot: Snapshot
  outcome: ReturnType<MoneyRow['prove']>
  mismatch: string | null
  /** The payment when the provider was asked. */
  payment: AttemptedPayment
}

/** Compares the provider's amounts with those before the write. Null if it gave none: the operation is then due again later. */
async function viewProvider(
  ctx: Context,
  { operation, payment: known, account, row }: Work,
): Promise<ProviderView | null> {
  const payment = (await findPaymentOf(ctx, operation)) ?? known
  const answer = await askProvider(ctx, account, payment, { lane: 'money' })
  if (answer.kind !== 'found') {
    const why = answer.kind === 'unavailable' ? answer.message : 'the provider does not know the order'
    await waitForAnswer(ctx, operation, why)
    return null
  }
  const { snapshot } = answer
  const mismatch = findMismatch(payment, snapshot)
  const outcome = mismatch
    ? 'unclear'
    : row.prove(operation.before as Snapshot, snapshot, {
        amountMinor: operation.amountMinor ?? 0,
        ...writeNameOf(operation),
      })
  return { snapshot, outcome, mismatch, payment }
}

/** Returns false, and decides nothing, when the payment has changed since the provider was asked. */
async function decide(
  ctx: Context,
  work: Work,
  result: WriteResult,
  { snapshot, outcome: shown, mismatch, payment: seen }: ProviderView,
): Promise<boolean> {
  const { operation } = work
  const outcome = shown === 'undone' && isAwaited(work, result) ? 'pending' : shown
  const providerOperationId = operation.providerOperationId ?? undefined
  const verdict = decideVerdict(ctx, operation as SentOperation, outcome, result, mismatch)
  if (verdict.kind === 'wait') {
    await retryLater(ctx, operation, verdict.detail, outcome === 'pending')
    return true
  }
  return concludeOperation(ctx, operation, { ...verdict, snapshot, seen, providerOperationId })
}

/** The provider has accepted the write, and will report its result only in a callback. */
function isAwaited({ operation, account, row: { method } }: Work, { kind }: WriteResult): boolean {
  const comesByCallback = account.driver.resultsByCallback?.some((write) => write === method) ?? false
  return comesByCallback && (kind === 'done' || kind === 'pending' || operation.lastPendingAt !== null)
}
