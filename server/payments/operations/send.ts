/**
 * Sends the write of a refund, a capture or a void to the provider, if the provider's current state of the order allows it. What the
 * provider answers is only a hint, unless it says that nothing was done.
 */
import { limitsOfCall } from '../../accounts/call-timeouts.ts'
import { describeRefusal, isOfAccount } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import type { MoneyWrite, ProviderRight, Snapshot, WriteResult } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { findReturnObstacle } from '../attempts/duplicate-payment.ts'
import { isUnsent, sendToProvider, type Unsent } from '../attempts/send-to-provider.ts'
import { statusOf } from '../derived-status.ts'
import { findMismatch } from '../entries/fit.ts'
import { writeNameOf } from '../named-refund.ts'
import { type MoneyRow, refundableMinor } from '../operation.ts'
import { isOwn } from '../own-attempt.ts'
import { providerCall } from '../provider-call.ts'

/** An operation that is worked on. `payment`: with the attempt whose money the operation moves. `account`: of that attempt. */
export type Work = { operation: OperationRecord; payment: AttemptedPayment; account: Account; row: MoneyRow }

/** Returns why the write must not be sent now; null if it may be sent. */
export function findObstacle(
  ctx: Context,
  { operation: { type, cause, amountMinor }, payment, account, row }: Work,
  snapshot: Snapshot,
): string | null {
  const mismatch = findMismatch(payment, snapshot)
  if (mismatch) return mismatch
  if (!amountMinor) return 'the operation has no amount'
  const obstacle =
    cause === 'service'
      ? findReturnObstacle(account, payment, { type: row.method, snapshot })
      : findStatusObstacle(payment, row)
  if (obstacle) return obstacle
  const status = statusOf(snapshot)
  if (!row.from.includes(status)) return `the provider says ${status}`
  const left = refundableMinor(snapshot)
  if (type === 'refund' && amountMinor > left)
    return `at the provider only ${left} minor units are left to refund`
  const { reference, providerState: state, begunAt } = payment.attempt
  const order = { reference, state, begunAt, snapshot }
  return account.driver.eligible?.(providerCall(ctx, account), row.method, order) ?? null
}

function findStatusObstacle(payment: AttemptedPayment, { from }: MoneyRow): string | null {
  if (!isOwn(payment)) return "another attempt has the payment's money now"
  return from.includes(payment.status) ? null : `the payment is ${payment.status}`
}

/** `rejected`: the provider refused the account, so it did nothing. */
type Rejected = { kind: 'rejected'; message: string }
type Sent = WriteResult | Unsent | Rejected
export const isUndone = (result: Sent): result is Unsent | Rejected =>
  result.kind === 'rejected' || isUnsent(result)
/** `sentAt`: when this sending was stored. A decision made later must not run while this request is still in flight. */
export async function sendWrite(
  ctx: Context,
  { payment, account, row }: Work,
  sent: OperationRecord,
  sentAt: Date | null,
): Promise<Sent> {
  const write: MoneyWrite = {
    reference: payment.attempt.reference,
    state: payment.attempt.providerState,
    key: writeNameOf(sent).key,
    refusedTimes: sent.refusedTimes,
    amountMinor: sent.amountMinor ?? 0,
    currency: payment.currency,
    reason: sent.reason,
    before: sent.before as Snapshot,
  }
  const send = account.driver[row.method] as NonNullable<Account['driver']['refund']>
  const leaseMs = ctx.config.operationLeaseSeconds * 1_000
  const limits = limitsOfCall(account, 'writing', leaseMs)
  const sendUntil = new Date((sentAt?.getTime() ?? 0) + limits.timeoutMs)
  const right = rightOf(payment, sent, row.method)
  const calling = {
    lane: 'money' as const,
    ...limits,
    sendUntil,
    about: payment.id,
    right,
    ...(right === 'capture' && { isTaking: true as const }),
  }
  const result = await sendToProvider(ctx, account, calling, (call) => send(call, write))
  const { id: operationId, type } = sent
  ctx.log.info({ paymentId: payment.id, operationId, type, answer: result.kind }, 'operation sent')
  if (result.kind === 'timed_out') return { kind: 'unknown', message: result.message }
  if (result.kind === 'refused' && isOfAccount(result))
    return { kind: 'rejected', message: describeRefusal(result.refusal) }
  return result
}

/** A contract may allow to give back all of the money, but not a part of it. */
function rightOf(
  { capturedMinor, refundedMinor }: Payment,
  { amountMinor }: OperationRecord,
  method: ProviderRight,
): ProviderRight {
  const isPart = method === 'refund' && (amountMinor ?? 0) < capturedMinor - refundedMinor
  return isPart ? 'partial_refund' : method
}
