/** What a provider's records show of an operation that an operator is about to resolve, and which decision they rule out. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { askProvider } from '../attempts/ask.ts'
import { statusOf } from '../derived-status.ts'
import { findMismatch } from '../entries/fit.ts'
import { writeNameOf } from '../named-refund.ts'
import { isMoneyOperation, OPERATION_TABLE, type WriteOutcome } from '../operation.ts'
import { PENDING_MAX_MS } from '../operations/verdict.ts'

export type Outcome = 'succeeded' | 'failed'

export type ProviderPosition = {
  outcome: WriteOutcome
  /** Null when the provider does not know the order. */
  snapshot: Snapshot | null
  /** Why the answer is not about this payment. */
  mismatch: string | null
}

/** Asks the provider how the order stands, and what that proves of the operation. */
export async function readProviderPosition(
  ctx: Context,
  account: Account,
  { operation, payment }: { operation: OperationRecord; payment: AttemptedPayment },
): Promise<ProviderPosition | { unavailable: string }> {
  const answer = await askProvider(ctx, account, payment)
  if (answer.kind === 'unavailable') return { unavailable: answer.message }
  if (answer.kind === 'not_found') return { outcome: 'undone', snapshot: null, mismatch: null }
  const { snapshot } = answer
  const mismatch = findMismatch(payment, snapshot)
  const outcome = mismatch ? 'unclear' : outcomeOfWrite(operation, snapshot)
  return { outcome, snapshot, mismatch }
}

function outcomeOfWrite(operation: OperationRecord, snapshot: Snapshot): WriteOutcome {
  const { type, before, amountMinor } = operation
  if (!isMoneyOperation(type) || !before) return 'unclear'
  const write = { amountMinor: amountMinor ?? 0, ...writeNameOf(operation) }
  return OPERATION_TABLE[type].prove(before as Snapshot, snapshot, write)
}

/** @throws AppError payment_not_eligible, with what the records show and what to do */
export function refuseContradiction(
  ctx: Context,
  operation: OperationRecord,
  as: Outcome,
  position: ProviderPosition,
): void {
  const advice = contradictionOf(ctx, operation, as, position)
  if (advice === null) return
  throw new AppError('payment_not_eligible', {
    message: `${describePosition(operation, position)} ${advice}`,
  })
}

/** Returns what to do instead; null when the records allow the decision. */
function contradictionOf(
  ctx: Context,
  { type, sentAt }: OperationRecord,
  as: Outcome,
  { outcome }: ProviderPosition,
): string | null {
  switch (outcome) {
    case 'done':
    case 'done_by_key':
      return as === 'failed' ? `So the ${type} was done: resolve it as succeeded.` : null
    case 'undone':
    case 'failed_by_key':
      return as === 'succeeded'
        ? `So the ${type} was not done: resolve it as failed, or wait until the provider's books show it.`
        : null
    case 'pending': {
      // A provider that never finishes must not keep the operation open for ever.
      const isStuck = sentAt !== null && ctx.clock.now().getTime() - sentAt.getTime() > PENDING_MAX_MS
      if (as === 'failed' && isStuck) return null
      return `The provider is still working on the ${type}. Wait until it has ended.`
    }
    case 'unclear':
      return null
  }
}

function describePosition({ before }: OperationRecord, { snapshot, outcome }: ProviderPosition): string {
  if (!snapshot) return 'The provider does not know the order.'
  const now = amountsOf(snapshot)
  if (!before) return `The provider's books show ${now} minor units.`
  const earlier = amountsOf(before as Snapshot, ' before')
  if (outcome === 'undone')
    return `The provider's books show ${now} minor units, as before the request was sent.`
  return `The provider's books show ${now} minor units; it was ${earlier} the request was sent.`
}

function amountsOf(snapshot: Snapshot, when = ''): string {
  const { capturedMinor, refundedMinor } = snapshot
  return `${statusOf(snapshot)} with ${capturedMinor} captured and ${refundedMinor} refunded${when}`
}
