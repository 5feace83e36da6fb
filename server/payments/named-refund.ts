/**
 * Reads a provider's list of refunds. A name cannot be mistaken for another refund of the same amount. But a provider may list one
 * refund several times, and its sum may show a refund later than the list does.
 */
import { hash } from 'node:crypto'
import type { Context } from '../context.ts'
import { ID_BODY, referenceOf } from '../id.ts'
import type { NamedRefund, Snapshot } from '../providers/driver.ts'
import { listPaymentOperations, type OperationRecord } from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'

/** `key`: our name of the write at the provider. `id`: the provider's own id of the refund, where it has told us one. */
export type RefundName = { key: string; id: string | null }

/**
 * Returns the name of an operation at its provider. It follows from the merchant's request alone. So if an older backup is restored
 * and the merchant repeats a request, the provider recognizes it and moves no money twice.
 */
export function writeNameOf({
  merchantId,
  scope,
  key,
  providerOperationId: id,
}: Pick<OperationRecord, 'merchantId' | 'scope' | 'key' | 'providerOperationId'>): RefundName {
  // A payment that is created again after a restore has another id, which ends with the same reference.
  const lasting = scope.replace(PAYMENT_ID, referenceOf)
  return { key: hash('sha256', JSON.stringify([merchantId, lasting, key]), 'hex').slice(0, KEY_CHARS), id }
}

const PAYMENT_ID = new RegExp(`\\bpay_(test_)?${ID_BODY}\\b`)

/** 128 bits: enough to distinguish requests, and short enough for every provider's field. */
const KEY_CHARS = 32

/** The best outcome counts: a try that failed means nothing if another try under the same key was done. */
const BEST_FIRST = ['done', 'pending', 'failed'] as const satisfies NamedRefund['state'][]

/** Returns the entries of our refund in its best state; an empty list if the provider does not name it. */
export function findNamed(refunds: readonly NamedRefund[], { key, id }: RefundName): NamedRefund[] {
  const ours = refunds.filter((each) => each.key === key || (id !== null && each.id === id))
  const best = BEST_FIRST.find((state) => ours.some((each) => each.state === state))
  return ours.filter(({ state }) => state === best)
}

/**
 * Returns the snapshot with a sum that includes the refunds that the list shows as done. The sum is never more than what was
 * captured, also if a repeated refund returned more than that.
 */
export function countNamed(snapshot: Snapshot): Snapshot {
  const { refunds, capturedMinor } = snapshot
  if (!refunds) return snapshot
  const done = refunds.filter(({ state }) => state === 'done')
  // A repeated entry counts only if the provider's own sum includes it. Otherwise it is the same refund, listed twice.
  const once = done.filter((each, index) => findTwin(done, each) === index)
  const refundedMinor = Math.max(snapshot.refundedMinor, sumOf(once))
  const overReturnedMinor = refundedMinor - capturedMinor
  if (once.length === done.length || overReturnedMinor <= 0) return { ...snapshot, refundedMinor }
  return { ...snapshot, refundedMinor: capturedMinor, overReturnedMinor }
}

const ENDED: readonly (NamedRefund['state'] | undefined)[] = ['done', 'failed']

/**
 * Returns a sentence for an operator if the sum has fallen because the list forgot a refund of ours that was done, or calls it pending
 * again. A refund that failed stays in the list as failed. So the answer is older than what is stored, and must not free the amount
 * for a second refund.
 */
export async function findForgotten(
  ctx: Context,
  { merchantId, id: paymentId, attempt: { number, refundedMinor, disputeLostMinor } }: AttemptedPayment,
  { refunds, refundedMinor: reportedMinor }: Snapshot,
): Promise<string | null> {
  if (!refunds || reportedMinor >= refundedMinor - disputeLostMinor) return null
  const operations = await listPaymentOperations(ctx.db, merchantId, paymentId, number)
  const forgotten = operations.find(
    (operation) =>
      operation.type === 'refund' &&
      operation.status === 'succeeded' &&
      !ENDED.includes(findNamed(refunds, writeNameOf(operation))[0]?.state),
  )
  return forgotten
    ? `the provider had done the refund ${forgotten.id}, no longer lists it as done, and does not say that it failed`
    : null
}

/** Returns a sentence for an operator for each refund of ours that the provider has done several times. */
export function listRepeated({ refunds = [] }: Snapshot): string[] {
  const done = refunds.filter(({ key, state }) => key !== undefined && state === 'done')
  const groups = Map.groupBy(done, ({ key }) => key)
  return [...groups]
    .filter(([, all]) => all.length > 1)
    .map(
      ([key, all]) =>
        `the provider lists one refund of ours ${all.length} times (${all.map(({ id }) => id ?? key).join(', ')}), ${sumOf(all)} in all: look in its records whether the buyer got more than was asked for`,
    )
}

/** Returns the index of the first entry about the same refund. An entry without our key is a refund of its own. */
function findTwin(all: readonly NamedRefund[], one: NamedRefund): number {
  return all.findIndex((each) => each === one || (one.key !== undefined && each.key === one.key))
}

function sumOf(refunds: readonly NamedRefund[]): number {
  return refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0)
}
