/**
 * Carries out refunds, captures and voids. The steps: ask the provider, store its answer together with the time at which we send
 * the write (`toldAt`), send the write, ask again, and compare the amounts before and after.
 * Rule: once `toldAt` is stored, the write is not sent again, unless the provider still knows our key and its books say that
 * nothing was done. If the provider's amounts do not prove the outcome, an operator decides. After a crash at any line, the
 * next run continues from the stored state.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { MoneyWrite, Snapshot, WriteResult } from '../../providers/driver.ts'
import { wasNothingSent } from '../../providers/http.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import {
  listOpenOperations,
  type OperationRecord,
  rescheduleOperation,
  tellOperation,
  wakeNextOperation,
} from '../../storage/payments/operations.ts'
import { findPayment, lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { untellOperation } from '../../storage/payments/unsent-operations.ts'
import { isMoneyOperation, type MoneyRow, OPERATION_TABLE } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { backOffMs, callProvider, explainCallFailure, providerCall } from '../provider-call.ts'
import { findMismatch } from '../provider-word.ts'
import { askAboutPayment, askProvider } from '../question.ts'
import { RECHECK_WAITING_MS } from './money.ts'
import { concludeOperation, decideVerdict, type SentOperation } from './verdict.ts'

/** While one process works on an operation, other processes skip the operation for this long. */
export const WORK_LEASE_MS = 60_000
const WRITE_TIMEOUT_MS = 20_000
const RETRY_MAX_MS = 60_000
/** A write that the provider keys is sent again in the first so many runs of its operation, and never after them. */
const RESEND_RUNS_MAX = 20
/** An operation that could not be sent in this time fails. */
const UNSENT_MAX_MS = 24 * 3_600_000

type Work = { operation: OperationRecord; payment: PaymentRecord; account: Account; row: MoneyRow }
/** `unsent`: the request certainly never left. */
type Sent = WriteResult | { kind: 'unsent'; message: string }
const LOST: WriteResult = { kind: 'unknown', message: "the provider's answer was lost" }

/** Works once on an operation that is due. If it throws, a later run continues from the stored state. */
export async function workOnOperation(ctx: Context, due: OperationRecord): Promise<void> {
  const operation = due.status === 'queued' ? await startIfNext(ctx, due) : due
  if (operation?.status !== 'processing' || !isMoneyOperation(operation.type)) return
  const payment = await findPayment(ctx.db, operation.merchantId, operation.paymentId ?? '')
  if (!payment) throw new Error(`Bug! Operation ${operation.id} has no payment.`)
  const row: MoneyRow = OPERATION_TABLE[operation.type]
  const account = await findAccount(ctx, payment.accountId)
  if (!account?.driver[row.method])
    return retryLater(ctx, operation, `the provider account ${payment.accountId} cannot do this now`)
  const work = { operation, payment, account, row }
  if (operation.toldAt) return continueSent(ctx, work)
  const sent = await prepareWrite(ctx, work)
  if (!sent) return
  const result = await sendWrite(ctx, work, sent)
  if (result.kind !== 'unsent') return verify(ctx, { ...work, operation: sent }, result)
  await untellOperation(ctx.db, sent)
  return retryLater(ctx, operation, result.message)
}

/** The write was sent in an earlier run. The provider is asked before the write may be sent again. */
async function continueSent(ctx: Context, work: Work): Promise<void> {
  const look = await lookAt(ctx, work)
  if (!look) return
  if (look.proof !== 'undone' || !maySendAgain(ctx, work)) return decide(ctx, work, LOST, look)
  const result = await sendWrite(ctx, work, work.operation)
  return verify(ctx, work, result.kind === 'unsent' ? LOST : result)
}

/**
 * Whether the provider does this write once under its key, however often it is sent. It may have forgotten a key that is about
 * to reach its lifetime.
 */
function maySendAgain(ctx: Context, { operation, account }: Work): boolean {
  const { toldAt, takenOnAt, attempts } = operation
  const knownForMs = (account.driver.keyLifetimeMs ?? 0) - 2 * WRITE_TIMEOUT_MS
  if (!toldAt || takenOnAt || attempts > RESEND_RUNS_MAX) return false
  return ctx.clock.now().getTime() - toldAt.getTime() < knownForMs
}

/** Starts the operation if it is the oldest queued one and no other operation of the payment is running. Else returns null. */
async function startIfNext(ctx: Context, queued: OperationRecord): Promise<OperationRecord | null> {
  return inTransaction(ctx.db, async (tx) => {
    const payment = await lockPayment(tx, queued.merchantId, queued.paymentId ?? '')
    const open = payment ? await listOpenOperations(tx, payment.merchantId, payment.id) : []
    const money = open.filter((each) => isMoneyOperation(each.type))
    const busy = money.some((each) => each.status !== 'queued')
    if (busy || money[0]?.id !== queued.id) {
      const now = ctx.clock.now()
      await rescheduleOperation(tx, queued, { dueAt: new Date(now.getTime() + RECHECK_WAITING_MS) })
      // An operation with a lower id may have been committed after this one was woken.
      if (!busy) await wakeNextOperation(tx, { ...queued, paymentId: queued.paymentId ?? '' }, now)
      return null
    }
    const dueAt = new Date(ctx.clock.now().getTime() + WORK_LEASE_MS)
    return applyOperationIn(ctx, tx, queued, { to: 'processing', cause: 'provider', dueAt })
  })
}

/**
 * Asks the provider, and stores its answer and the time at which the write is sent. Returns null when the write must not be sent
 * now: the operation has then failed, is retried later, or another process is sending it.
 */
async function prepareWrite(
  ctx: Context,
  { operation, payment, account, row }: Work,
): Promise<OperationRecord | null> {
  const answer = await askProvider(ctx, account, payment)
  if (answer.kind !== 'found') {
    const why = answer.kind === 'unavailable' ? answer.message : 'the provider does not know the order'
    const isTooLate = ctx.clock.now().getTime() > operation.createdAt.getTime() + UNSENT_MAX_MS
    if (isTooLate)
      await concludeOperation(ctx, operation, { kind: 'failed', detail: `${why}; nothing was done` })
    else await retryLater(ctx, operation, why)
    return null
  }
  const now = await askAboutPayment(ctx, payment, answer)
  const obstacle =
    findObstacle(row, operation, now, answer.snapshot) ??
    account.driver.eligible?.(providerCall(ctx, account), row.method, answer.snapshot)
  if (obstacle) {
    await concludeOperation(ctx, operation, { kind: 'failed', detail: `${obstacle}; nothing was done` })
    return null
  }
  return tellOperation(ctx.db, operation, answer.snapshot, ctx.clock.now())
}

/** Returns why the provider's current state of the payment does not allow the operation; null if it does. */
function findObstacle(
  row: MoneyRow,
  { type, amountMinor }: OperationRecord,
  payment: PaymentRecord,
  snapshot: Snapshot,
): string | null {
  const mismatch = findMismatch(payment, snapshot)
  if (mismatch) return mismatch
  if (!row.from.includes(payment.status)) return `the payment is ${payment.status}`
  if (!row.from.includes(snapshot.status)) return `the provider says ${snapshot.status}`
  const left = snapshot.capturedMinor - snapshot.refundedMinor - (snapshot.refundPendingMinor ?? 0)
  return type === 'refund' && (amountMinor ?? 0) > left
    ? `at the provider only ${left} minor units are left to refund`
    : null
}

async function sendWrite(
  ctx: Context,
  { payment, account, row }: Work,
  sent: OperationRecord,
): Promise<Sent> {
  const write: MoneyWrite = {
    reference: payment.providerReference,
    state: payment.providerState,
    key: sent.id,
    amountMinor: sent.amountMinor ?? 0,
    currency: payment.currency,
    reason: sent.reason,
    before: sent.before as Snapshot,
  }
  try {
    const send = account.driver[row.method] as NonNullable<Account['driver']['refund']>
    const calling = { timeoutMs: WRITE_TIMEOUT_MS, about: payment.id }
    return await callProvider(ctx, account, calling, (call) => send(call, write))
  } catch (error) {
    return { kind: wasNothingSent(error) ? 'unsent' : 'unknown', message: explainCallFailure(ctx, error) }
  }
}

/** Asks the provider again and decides by its amounts. The provider's answer to the write is only a hint. */
async function verify(ctx: Context, work: Work, result: WriteResult): Promise<void> {
  const look = await lookAt(ctx, work)
  if (look) await decide(ctx, work, result, look)
}

type Look = { snapshot: Snapshot; proof: ReturnType<MoneyRow['prove']>; mismatch: string | null }

/** Compares the provider's amounts with those before the write. Null if it gave none: the operation is then due again later. */
async function lookAt(ctx: Context, { operation, payment, account, row }: Work): Promise<Look | null> {
  const answer = await askProvider(ctx, account, payment)
  if (answer.kind !== 'found') {
    const why = answer.kind === 'unavailable' ? answer.message : 'the provider does not know the order'
    await retryLater(ctx, operation, why)
    return null
  }
  const { snapshot } = answer
  const mismatch = findMismatch(payment, snapshot)
  const proof = mismatch
    ? 'unclear'
    : row.prove(operation.before as Snapshot, snapshot, {
        amountMinor: operation.amountMinor ?? 0,
        key: operation.id,
      })
  return { snapshot, proof, mismatch }
}

async function decide(
  ctx: Context,
  { operation }: Work,
  result: WriteResult,
  { snapshot, proof, mismatch }: Look,
): Promise<void> {
  const providerOperationId = 'operationId' in result ? result.operationId : undefined
  const verdict = decideVerdict(ctx, operation as SentOperation, proof, result, mismatch)
  if (verdict.kind === 'wait') return retryLater(ctx, operation, verdict.detail, proof === 'pending')
  await concludeOperation(ctx, operation, { ...verdict, snapshot, providerOperationId })
}

/** Schedules the next run. `why` becomes the statusReason. `isPending`: the provider is working on the write. */
async function retryLater(
  ctx: Context,
  operation: OperationRecord,
  why: string,
  isPending = false,
): Promise<void> {
  const now = ctx.clock.now()
  const dueAt = new Date(now.getTime() + backOffMs(operation.attempts, RETRY_MAX_MS))
  await rescheduleOperation(ctx.db, operation, { dueAt, why, takenOnAt: isPending ? now : null })
  ctx.log.debug({ operationId: operation.id, why }, 'operation will be retried')
}
