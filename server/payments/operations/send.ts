/** Sends the write of a refund, a capture or a void to the provider. What came of it is only a hint, unless nothing was done. */
import { limitsOfCall } from '../../accounts/call-timeouts.ts'
import { describeRefusal, isOfAccount } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import type { MoneyWrite, ProviderRight, Snapshot, WriteResult } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import type { Payment } from '../../storage/payments/payment.ts'
import { isUnsent, sendToProvider, type Unsent } from '../attempts/send-to-provider.ts'
import { writeNameOf } from '../named-refund.ts'
import type { Work } from './obstacle.ts'

/** `rejected`: the provider refused the account, so it did nothing. */
type Rejected = { kind: 'rejected'; message: string }
export type Sent = WriteResult | Unsent | Rejected
export const isUndone = (result: Sent): result is Unsent | Rejected =>
  result.kind === 'rejected' || isUnsent(result)
/** `sentAt`: when this sending was stored. Whoever decides about it later must not meet it on its way. */
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
