/**
 * An operator decides the outcome of an operation that the provider's answers leave open.
 * Rule: the provider is asked first. Nobody decides against its records, and nothing that is known to have moved is lowered.
 */
import { findAccount, whyNotReady } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import {
  findOperationById,
  type OperationRecord,
  wakeNextOperation,
} from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import { findSavedMethod } from '../../storage/saved-methods/saved-methods.ts'
import { fromSnapshot } from '../answer-meaning.ts'
import { recordForOtherAttemptIn } from '../attempts/answer.ts'
import {
  type Decision,
  findPaymentOf,
  isMoneyOperation,
  movedMeanwhile,
  OPERATION_TABLE,
  refuseIfMoved,
} from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { attemptReport, isOvertaken } from '../operations/verdict.ts'
import { isOwn } from '../own-attempt.ts'
import { askProviderAboutMethod } from '../saved-methods/ask.ts'
import { leftOf } from '../saved-methods/money.ts'
import { applyStatusIn, type Change } from '../transition.ts'
import {
  type Outcome,
  type ProviderPosition,
  readProviderPosition,
  refuseContradiction,
} from './provider-position.ts'

/**
 * Ends an operation that requires review. The provider is asked first if it can be asked, and the payment gets the amounts in its
 * books. For a provider that cannot be asked, `succeeded` gives the payment the amounts that the operation was to cause.
 * @throws AppError not_found; payment_not_eligible when the operation does not require review, when the provider's records show
 *   another outcome, or when the payment has changed since the person saw it; provider_unavailable when the provider cannot be
 *   asked now
 */
export async function resolveOperation(
  ctx: Context,
  id: string,
  as: Outcome,
  decision: Decision,
): Promise<OperationRecord> {
  const operation = await getOperation(ctx, id)
  refuseUnlessInReview(operation)
  if (isMoneyOperation(operation.type) && operation.tokenId !== null)
    await refuseAgainstSaving(ctx, operation, as)
  const payment = await findPaymentOf(ctx, operation)
  if (payment) refuseIfMoved(payment, decision.version ?? payment.version)
  const position = payment && (await askProviderPosition(ctx, operation, payment))
  if (position) refuseContradiction(ctx, operation, as, position)
  const ended = await endOperation(ctx, operation, as, { decision, seen: payment, position })
  if (ended) return ended
  // Another person has decided just before.
  refuseUnlessInReview(await getOperation(ctx, id))
  throw new Error(`Bug! The operation ${id} could not be resolved as ${as}.`)
}

async function getOperation(ctx: Context, id: string): Promise<OperationRecord> {
  const operation = await findOperationById(ctx.db, id)
  if (!operation) throw new AppError('not_found', { message: `There is no operation ${id}.` })
  return operation
}

/** @throws AppError payment_not_eligible */
function refuseUnlessInReview({ id, status }: OperationRecord): void {
  if (status === 'requires_operator_review') return
  throw new AppError('payment_not_eligible', {
    message: `The operation ${id} is ${status}. You can only resolve an operation that is requires_operator_review.`,
  })
}

/**
 * Returns what the provider says now; null where nobody can be asked, because the operation moves no money or the provider answers
 * no questions.
 * @throws AppError provider_unavailable
 */
async function askProviderPosition(
  ctx: Context,
  operation: OperationRecord,
  payment: AttemptedPayment,
): Promise<ProviderPosition | null> {
  if (!isMoneyOperation(operation.type)) return null
  const account = await findAccount(ctx, payment.attempt.accountId)
  if (!account) throw cannotAsk(whyNotReady(ctx, payment.attempt.accountId))
  if (!account.driver.lookUp) return null
  const position = await readProviderPosition(ctx, account, { operation, payment })
  if ('unavailable' in position) throw cannotAsk(position.unavailable)
  return position
}

/**
 * The return of a saving's money: the provider says what is left of it.
 * @throws AppError payment_not_eligible, provider_unavailable
 */
async function refuseAgainstSaving(ctx: Context, operation: OperationRecord, as: Outcome): Promise<void> {
  const method = await findSavedMethod(ctx.db, operation.merchantId, operation.tokenId ?? '')
  const answer = method && (await askProviderAboutMethod(ctx, method, 'money'))
  if (answer?.kind === 'unavailable') throw cannotAsk(answer.message)
  // A payment that the provider does not show rules out nothing.
  const money = answer?.kind === 'found' ? answer.money : undefined
  if (!money || (leftOf(money) === 0) === (as === 'succeeded')) return
  const message =
    as === 'succeeded'
      ? `The provider still has ${leftOf(money)} minor units. Give them back at the provider first, or resolve the ${operation.type} as failed.`
      : `The provider has given the money back: resolve the ${operation.type} as succeeded.`
  throw new AppError('payment_not_eligible', { message })
}

function cannotAsk(why: string): AppError {
  return new AppError('provider_unavailable', {
    retryAfterSeconds: 60,
    message: `The provider is asked before an operation is resolved, and it cannot be asked now: ${why}. Try again when it answers.`,
  })
}

/**
 * Returns null, and writes nothing, when the operation is not in review any more.
 * @throws AppError payment_not_eligible when the payment is not as the person and the provider's answer have seen it
 */
async function endOperation(
  ctx: Context,
  operation: OperationRecord,
  as: Outcome,
  {
    decision,
    seen,
    position,
  }: { decision: Decision; seen: AttemptedPayment | null; position: ProviderPosition | null },
): Promise<OperationRecord | null> {
  const { actor, why } = decision
  return inTransaction(ctx.db, async (tx) => {
    const payment = seen && (await lockPayment(tx, seen.merchantId, seen.id, seen.attempt.number))
    if (seen && payment && isOvertaken(seen, payment)) throw movedMeanwhile(payment)
    const reason = why !== null && { detail: why }
    const change = { to: as, cause: 'operator', actor, dueAt: null, ...reason } as const
    const ended = await applyOperationIn(ctx, tx, operation, change)
    if (!ended) return null
    if (payment) {
      const moved = movedBy(ctx, payment, ended, { as, position })
      if (moved) await applyMoved(ctx, tx, payment, { operation: ended, moved, decision })
      await wakeNextOperation(tx, ended, ctx.clock.now())
    }
    return ended
  })
}

type Moved = Required<Pick<Change, 'to' | 'money'>> & Pick<Change, 'attempt'>

/**
 * Returns what the decision makes of the payment: the provider's records, or else the operation's effect on the amounts that the
 * provider reported before the write. Null when it changes nothing.
 */
function movedBy(
  ctx: Context,
  payment: AttemptedPayment,
  { type, before, amountMinor }: OperationRecord,
  { as, position }: { as: Outcome; position: ProviderPosition | null },
): Moved | null {
  if (!isMoneyOperation(type)) return null
  if (position?.snapshot && !position.mismatch) {
    const { to, money } = fromSnapshot(payment, position.snapshot)
    return money ? { to, money, ...attemptReport(payment, position.snapshot, ctx.clock.now()) } : null
  }
  if (as === 'failed' || !before || !amountMinor) return null
  const { authorizedMinor, capturedMinor, refundedMinor } = before as Snapshot
  return OPERATION_TABLE[type].effect({ authorizedMinor, capturedMinor, refundedMinor }, amountMinor)
}

/**
 * Applies the amounts, unless one of them is lower than what is known already. Those of an attempt that is not the payment's own are
 * entered for the attempt alone.
 */
async function applyMoved(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  { operation, moved, decision }: { operation: OperationRecord; moved: Moved; decision: Decision },
): Promise<void> {
  const { to, money, attempt } = moved
  const { actor, why } = decision
  const { capturedMinor, refundedMinor } = payment.attempt
  const isLower =
    (money.capturedMinor < capturedMinor && to !== 'reversed') || money.refundedMinor < refundedMinor
  if (!isOwn(payment) && !isLower) {
    const report = { details: {}, ...attempt, provedBy: `operator ${actor}` }
    const target = attempt ?? { ...payment.attempt, ...money }
    await recordForOtherAttemptIn(ctx, tx, payment, { report, target, outside: null })
    return
  }
  const detail = why === null ? operation.id : `${operation.id}: ${why}`
  const change: Change = { to, cause: 'operator', money, actor, detail, ...(attempt && { attempt }) }
  const outcome = isLower ? 'refused' : (await applyStatusIn(ctx, tx, payment, change)).outcome
  if (outcome === 'refused' && (isLower || payment.status !== to))
    ctx.log.warn(
      { paymentId: payment.id, operationId: operation.id, from: payment.status, to, money },
      'the operation was resolved, but the payment cannot take over its amounts',
    )
}
