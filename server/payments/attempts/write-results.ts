/**
 * Refunds and captures whose results come only in callbacks: what the provider has told is added to what it answers.
 * Rule: a result that is known never gets a lesser one. What was repeated, or arrives late or in another order, changes nothing.
 */
import type { Context } from '../../context.ts'
import type { LookUpResult, NamedRefund, Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { NamedAttempt } from '../../storage/payments/attempt.ts'
import { listWriteResults, type WriteResultRecord } from '../../storage/payments/provider-orders.ts'

/** A write that was done can fail later, and one that has failed is never done. */
const RANK = { pending: 0, done: 1, failed: 2 } as const

export function laterOf(
  known: WriteResultRecord['state'] | undefined,
  told: WriteResultRecord['state'],
): WriteResultRecord['state'] {
  return known !== undefined && RANK[known] > RANK[told] ? known : told
}

/** Returns the answer with the results of callbacks, for a driver whose provider tells them nowhere else. */
export async function withResults<Answer extends LookUpResult>(
  { db }: Pick<Context, 'db'>,
  { driver }: Pick<Account, 'driver'>,
  attempt: NamedAttempt,
  answer: Answer,
): Promise<Answer> {
  const { resultsByCallback } = driver
  if (!resultsByCallback || answer.kind !== 'found') return answer
  const results = await listWriteResults(db, attempt)
  return { ...answer, snapshot: foldResults(answer.snapshot, results, resultsByCallback) }
}

/** `writes`: those whose results come only in callbacks. */
export function foldResults(
  snapshot: Snapshot,
  results: readonly WriteResultRecord[],
  writes: readonly WriteResultRecord['write'][],
): Snapshot {
  const of = (write: WriteResultRecord['write']) =>
    results.filter((each) => each.write === write).map(namedOf)
  const folded = { ...snapshot }
  if (writes.includes('capture')) {
    const captures = of('capture')
    const takenMinor = Math.min(sumOf(captures, 'done'), snapshot.authorizedMinor)
    Object.assign(folded, { captures, capturedMinor: Math.max(snapshot.capturedMinor, takenMinor) })
  }
  if (writes.includes('refund')) {
    const refunds = of('refund')
    const refundPendingMinor = sumOf(refunds, 'pending')
    Object.assign(folded, {
      refunds,
      refundedMinor: Math.max(snapshot.refundedMinor, sumOf(refunds, 'done')),
      ...(refundPendingMinor > 0 && { refundPendingMinor }),
    })
  }
  return folded
}

function namedOf({ key, providerId, state, amountMinor }: WriteResultRecord): NamedRefund {
  return { ...(key !== null && { key }), ...(providerId !== null && { id: providerId }), state, amountMinor }
}

function sumOf(all: readonly NamedRefund[], state: NamedRefund['state']): number {
  return all.reduce((sum, each) => sum + (each.state === state ? each.amountMinor : 0), 0)
}
