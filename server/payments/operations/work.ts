/**
 * Carrying out refunds, captures and voids. The order: ask the provider, note what it said and that it is about to be
 * told, tell it once, ask again, and let the amounts before and after say what came of it.
 * Law: after the note there is no second telling, unless the provider takes our key; what cannot be read off the provider's
 * books goes to a person. A crash at any line leaves an operation that the next turn goes on with.
 */
import type { Context } from '../../context.ts'
import type { MoneyWrite, Snapshot, WriteResult } from '../../providers/driver.ts'
import { isReady, type ReadyRoute } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import {
  listOpenOperations,
  type OperationRecord,
  rescheduleOperation,
  tellOperation,
  wakeNextOperation,
} from '../../storage/payments/operations.ts'
import { findPayment, lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { isMoneyOperation, type MoneyRow, OPERATION_TABLE } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { backOffMs, providerCall, within } from '../provider-call.ts'
import { findMismatch } from '../provider-word.ts'
import { askAboutPayment, askProvider } from '../question.ts'
import { WAIT_BEHIND_MS } from './money.ts'
import { concludeOperation, type Verdict } from './verdict.ts'

/** While one process works, the others leave the operation alone for this long. */
export const WORK_LEASE_MS = 60_000
const WRITE_TIMEOUT_MS = 20_000
const LOOK_AGAIN_MAX_MS = 60_000
/** A provider that was never told is not waited for longer than this. */
const UNTOLD_MS = 24 * 3_600_000
/** What a provider has in hand is asked about for this long before a person is. */
const IN_HAND_MS = 30 * 24 * 3_600_000

type Work = { operation: OperationRecord; payment: PaymentRecord; route: ReadyRoute; row: MoneyRow }
type ToldOperation = OperationRecord & { toldAt: Date }

/** One turn at an operation that is due. Throws nothing that a later turn would not mend. */
export async function workOnOperation(ctx: Context, due: OperationRecord): Promise<void> {
  const operation = due.status === 'queued' ? await begin(ctx, due) : due
  if (operation?.status !== 'processing' || !isMoneyOperation(operation.type)) return
  const payment = await findPayment(ctx.db, operation.merchantId, operation.paymentId ?? '')
  if (!payment) throw new Error(`Bug! Operation ${operation.id} is about no payment.`)
  const row: MoneyRow = OPERATION_TABLE[operation.type]
  const route = ctx.routes[payment.provider]
  if (!isReady(route) || !route.driver[row.method])
    return lookAgain(ctx, operation, `${payment.provider} cannot do this now`)
  const work = { operation, payment, route, row }
  if (operation.toldAt) return verify(ctx, work, await tellAgain(ctx, work))
  const told = await prepare(ctx, work)
  if (told) await verify(ctx, { ...work, operation: told }, await tell(ctx, work, told))
}

/** The oldest that waits begins, if nothing else of the payment is under way and the payment still allows it. */
async function begin(ctx: Context, queued: OperationRecord): Promise<OperationRecord | null> {
  return inTransaction(ctx.db, async (tx) => {
    const payment = await lockPayment(tx, queued.merchantId, queued.paymentId ?? '')
    const open = payment ? await listOpenOperations(tx, payment.merchantId, payment.id) : []
    const money = open.filter((each) => isMoneyOperation(each.type))
    const busy = money.some((each) => each.status !== 'queued')
    if (busy || money[0]?.id !== queued.id) {
      const now = ctx.clock.now()
      await rescheduleOperation(tx, queued, { dueAt: new Date(now.getTime() + WAIT_BEHIND_MS) })
      // One with a lower id may have been committed after this one was woken.
      if (!busy) await wakeNextOperation(tx, { ...queued, paymentId: queued.paymentId ?? '' }, now)
      return null
    }
    const dueAt = new Date(ctx.clock.now().getTime() + WORK_LEASE_MS)
    return applyOperationIn(ctx, tx, queued, { to: 'processing', cause: 'provider', dueAt })
  })
}

/** Asks the provider and notes its answer and that it will be told now. Null: not now, or not at all. */
async function prepare(
  ctx: Context,
  { operation, payment, route, row }: Work,
): Promise<OperationRecord | null> {
  const asked = await askProvider(ctx, route, payment)
  if (asked.kind !== 'found') {
    const why = asked.kind === 'unavailable' ? asked.message : 'the provider knows no such order'
    const late = ctx.clock.now().getTime() > operation.createdAt.getTime() + UNTOLD_MS
    if (late) await concludeOperation(ctx, operation, { kind: 'failed', detail: `${why}; nothing was done` })
    else await lookAgain(ctx, operation, why)
    return null
  }
  const now = await askAboutPayment(ctx, payment, asked)
  const problem = obstacle(row, operation, now, asked.snapshot)
  if (problem) {
    await concludeOperation(ctx, operation, { kind: 'failed', detail: `${problem}; nothing was done` })
    return null
  }
  return tellOperation(ctx.db, operation, asked.snapshot, ctx.clock.now())
}

/** What the provider's own picture of the payment has against it. */
function obstacle(
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
  return type === 'refund' && (amountMinor ?? 0) > left ? `the provider has only ${left} left` : null
}

async function tell(
  ctx: Context,
  { payment, route, row }: Work,
  told: OperationRecord,
): Promise<WriteResult> {
  const write: MoneyWrite = {
    reference: payment.providerReference,
    state: payment.providerState,
    key: told.id,
    amountMinor: told.amountMinor ?? 0,
    currency: payment.currency,
    reason: told.reason,
    before: told.before as Snapshot,
  }
  try {
    const send = route.driver[row.method] as NonNullable<ReadyRoute['driver']['refund']>
    return await within(WRITE_TIMEOUT_MS, send(providerCall(ctx, route), write))
  } catch (error) {
    return { kind: 'unknown', message: String(error) }
  }
}

/** Somebody told the provider before: only one that takes our key is told again. */
async function tellAgain(ctx: Context, work: Work): Promise<WriteResult> {
  if (work.route.driver.keyedWrites && !work.operation.takenOnAt) return tell(ctx, work, work.operation)
  return { kind: 'unknown', message: 'the answer to it is lost' }
}

/** The provider's answer is only a hint: its books decide. */
async function verify(
  ctx: Context,
  { operation, payment, route, row }: Work,
  answer: WriteResult,
): Promise<void> {
  const asked = await askProvider(ctx, route, payment)
  const providerOperationId = 'operationId' in answer ? answer.operationId : undefined
  if (asked.kind !== 'found')
    return lookAgain(ctx, operation, asked.kind === 'unavailable' ? asked.message : 'the order is not found')
  const { snapshot } = asked
  const mismatch = findMismatch(payment, snapshot)
  const proof = mismatch
    ? 'unclear'
    : row.prove(operation.before as Snapshot, snapshot, operation.amountMinor ?? 0)
  const verdict = judge(ctx, operation as ToldOperation, proof, answer, mismatch)
  if (verdict.kind === 'wait') return lookAgain(ctx, operation, verdict.detail, proof === 'pending')
  await concludeOperation(ctx, operation, { ...verdict, snapshot, providerOperationId })
}

function judge(
  ctx: Context,
  { toldAt, takenOnAt }: ToldOperation,
  proof: ReturnType<MoneyRow['prove']>,
  answer: WriteResult,
  mismatch: string | null,
): Verdict | { kind: 'wait'; detail: string } {
  const sinceMs = ctx.clock.now().getTime() - toldAt.getTime()
  const patient = sinceMs < (proof === 'pending' ? IN_HAND_MS : ctx.config.operationReviewAfterSeconds * 1000)
  const said = 'message' in answer ? answer.message : 'it said that it did it'
  switch (proof) {
    case 'done':
      return { kind: 'succeeded' }
    case 'undone':
      if (answer.kind === 'refused') return { kind: 'failed', detail: answer.message }
      // It had it in hand, and its books are as before: it has given it up.
      if (takenOnAt) return { kind: 'failed', detail: 'the provider took it on and then did not do it' }
      if (patient) return { kind: 'wait', detail: `not to be seen in the provider's books yet: ${said}` }
      return {
        kind: 'review',
        detail: `the provider's books do not show it, and its answer is unclear: ${said}`,
      }
    case 'pending':
      if (patient) return { kind: 'wait', detail: 'the provider is at work on it' }
      return { kind: 'review', detail: 'the provider has been at work on it for 30 days' }
    case 'unclear':
      return {
        kind: 'review',
        detail: mismatch ?? "the provider's amounts are neither as before nor as asked for",
      }
  }
}

async function lookAgain(
  ctx: Context,
  operation: OperationRecord,
  why: string,
  takenOn = false,
): Promise<void> {
  const now = ctx.clock.now()
  const dueAt = new Date(now.getTime() + backOffMs(operation.attempts, LOOK_AGAIN_MAX_MS))
  await rescheduleOperation(ctx.db, operation, { dueAt, why, takenOnAt: takenOn ? now : null })
  ctx.log.debug({ operationId: operation.id, why }, 'operation waits')
}
