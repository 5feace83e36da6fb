/**
 * Refunds and captures whose results come only in callbacks: the reported results are added to the provider's answers.
 * Rule: a known result is never replaced by a lesser one. Callbacks that are repeated, late or out of order change nothing.
 */
import type { Context } from '../../context.ts'
import type { LookUpResult, NamedRefund, Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { Queryable } from '../../storage/db.ts'
import type { NamedAttempt } from '../../storage/payments/attempt.ts'
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import { listWriteResults, type WriteResultRecord } from '../../storage/payments/provider-orders.ts'
import { writeNameOf } from '../named-refund.ts'

/** A write that was done can fail later, and one that has failed is never done. */
const RANK = { pending: 0, done: 1, failed: 2 } as const

export function laterState(
  known: WriteResultRecord['state'] | undefined,
  reported: WriteResultRecord['state'],
): WriteResultRecord['state'] {
  return known !== undefined && RANK[known] > RANK[reported] ? known : reported
}

type Named = Pick<WriteResultRecord, 'write' | 'key' | 'providerId'>

/** Returns the names of our writes of this attempt: one callback may have only our name, and the next one only the provider's. */
export async function listOurWrites(
  db: Queryable,
  { merchantId, paymentId, number }: NamedAttempt,
): Promise<Named[]> {
  const operations = await listPaymentOperations(db, merchantId, paymentId, number)
  return operations.flatMap((operation) => {
    const { key, id: providerId } = writeNameOf(operation)
    const { type } = operation
    return type === 'refund' || type === 'capture' ? [{ write: type, key, providerId }] : []
  })
}

export function isSameWrite(one: Named, other: Named): boolean {
  const hasKey = one.key !== null && one.key === other.key
  const hasId = one.providerId !== null && one.providerId === other.providerId
  return one.write === other.write && (hasKey || hasId)
}

/** Returns the result with both names, if it is about a write of ours. */
export function withBothNames<Result extends Named>(result: Result, ours: readonly Named[]): Result {
  const own = ours.find((each) => isSameWrite(each, result))
  return {
    ...result,
    key: result.key ?? own?.key ?? null,
    providerId: result.providerId ?? own?.providerId ?? null,
  }
}

/** Returns one result for each write. Two rows may turn out to be about one write, once both of its names are known. */
export function mergeResults(
  results: readonly WriteResultRecord[],
  ours: readonly Named[],
): WriteResultRecord[] {
  return results
    .map((each) => withBothNames(each, ours))
    .reduce<WriteResultRecord[]>((merged, each) => {
      const same = merged.filter((known) => isSameWrite(known, each))
      const others = merged.filter((known) => !same.includes(known))
      return [...others, [...same, each].reduce(joinResults)]
    }, [])
}

function joinResults(first: WriteResultRecord, later: WriteResultRecord): WriteResultRecord {
  const state = laterState(first.state, later.state)
  return { ...first, key: first.key ?? later.key, providerId: first.providerId ?? later.providerId, state }
}

/** Returns the answer with the results of callbacks, for a driver whose provider reports them nowhere else. */
export async function withResults<Answer extends LookUpResult>(
  { db }: Pick<Context, 'db'>,
  { driver }: Pick<Account, 'driver'>,
  attempt: NamedAttempt,
  answer: Answer,
): Promise<Answer> {
  const { resultsByCallback } = driver
  if (!resultsByCallback || answer.kind !== 'found') return answer
  const stored = await listWriteResults(db, attempt)
  const results = stored.length === 0 ? stored : mergeResults(stored, await listOurWrites(db, attempt))
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
