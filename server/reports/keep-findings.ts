/** Stores differences and closes them, and compares open ones again where a statement has gone. */
import type { Context } from '../context.ts'
import type { NamedAttempt } from '../storage/payments/attempt.ts'
import { insertNewWarning, settleWarning } from '../storage/payments/payment-warnings.ts'
import {
  closeFinding,
  type FindingRecord,
  listEntriesOfAttempts,
  listFindingsById,
  listFindingsOfAttempts,
  type NewFinding,
  type Side,
  saveFinding,
} from '../storage/reports/findings.ts'
import { listLinesOfAttempts } from '../storage/reports/statements.ts'
import { type Complete, compareAttempt, NEVER } from './compare.ts'

export type Counted = {
  /** Lines that agree with the entries. */
  matched: number
  missingHere: number
  missingThere: number
  differing: number
  /** Entries that may be on a statement that is not here yet. */
  waiting: number
  /** Differences that were open, and which this statement has settled. */
  settled: number
}
export const emptyCount = (): Counted => ({
  matched: 0,
  missingHere: 0,
  missingThere: 0,
  differing: 0,
  waiting: 0,
  settled: 0,
})
export const keyOf = ({ paymentId, number }: Pick<NamedAttempt, 'paymentId' | 'number'>) =>
  `${paymentId}/${number}`

const hasSameSums = (one: FindingRecord, other: NewFinding) =>
  one.kind === other.kind && one.oursMinor === other.oursMinor && one.theirsMinor === other.theirsMinor

/**
 * Stores new differences and closes those that no longer exist. A difference that a person has closed stays closed while its
 * sums are the same.
 */
export async function keepFindings(
  ctx: Context,
  accountId: string,
  { found, known }: { found: NewFinding[]; known: FindingRecord[] },
  count: Counted,
): Promise<void> {
  const now = ctx.clock.now()
  const ids = new Set(found.map(({ id }) => id))
  for (const { id, closedAt } of known)
    if (!ids.has(id) && closedAt === null) {
      await closeFinding(ctx.db, { accountId, id }, { at: now, by: null, why: null })
      count.settled++
    }
  const stored = new Map((await listFindingsById(ctx.db, accountId, [...ids])).map((each) => [each.id, each]))
  for (const each of found) {
    const before = stored.get(each.id)
    if (before && hasSameSums(before, each) && (before.closedAt === null || before.closedBy !== null))
      continue
    // The warning comes first, so that a crash between the two loses neither.
    const { merchantId, paymentId } = each
    if (merchantId !== null && paymentId !== null)
      await insertNewWarning(ctx.db, {
        merchantId,
        paymentId,
        createdAt: now,
        detail: warningOf(accountId, each),
      })
    await saveFinding(ctx.db, accountId, each, now)
  }
}

/**
 * Compares the attempts of open differences again. Returns how many differences no statement shows any more. `times`: those about
 * which the statements are complete.
 */
export async function reexamine(
  ctx: Context,
  accountId: string,
  open: readonly FindingRecord[],
  times: readonly Complete[],
): Promise<number> {
  const named = open.flatMap(({ merchantId, paymentId, attempt: number }) =>
    merchantId !== null && paymentId !== null && number !== null ? [{ merchantId, paymentId, number }] : [],
  )
  const attempts = [...new Map(named.map((each) => [keyOf(each), each])).values()]
  if (attempts.length === 0) return 0
  const lines = Map.groupBy(
    await listLinesOfAttempts(ctx.db, accountId, attempts),
    (each) => `${each.paymentId}/${each.attempt}`,
  )
  const entries = Map.groupBy(await listEntriesOfAttempts(ctx.db, attempts), keyOf)
  const known = await listFindingsOfAttempts(ctx.db, accountId, attempts)
  const found = attempts.flatMap((attempt) => {
    const both = { lines: lines.get(keyOf(attempt)) ?? [], entries: entries.get(keyOf(attempt)) ?? [] }
    const all = (times.length > 0 ? times : [NEVER]).flatMap(
      (complete) => compareAttempt(attempt, both, complete).findings,
    )
    return [...new Map(all.map((each) => [each.id, each])).values()]
  })
  const count = emptyCount()
  const gone = known.filter(({ id }) => !found.some((each) => each.id === id))
  await keepFindings(ctx, accountId, { found, known }, count)
  await settleWarnings(ctx, accountId, gone)
  return count.settled
}

/** A difference that a withdrawn statement has shown is no case any more. */
async function settleWarnings(
  ctx: Context,
  accountId: string,
  gone: readonly FindingRecord[],
): Promise<void> {
  for (const each of gone)
    if (each.merchantId !== null && each.paymentId !== null)
      await settleWarning(ctx.db, {
        merchantId: each.merchantId,
        paymentId: each.paymentId,
        detail: warningOf(accountId, each),
        at: ctx.clock.now(),
      })
}

const DEEDS: Record<Side, string> = {
  taken: 'was taken',
  returned: 'was given back',
  disputed: 'is disputed or was lost in a dispute',
}

/** Returns the warning that stays with the payment, so that the payment is a case for a person. */
function warningOf(accountId: string, { side, ...each }: NewFinding): string {
  const { oursMinor, theirsMinor, currency, theirCurrency } = each
  return `the statement of ${accountId} says that ${theirsMinor} (${theirCurrency}, minor units) ${DEEDS[side]}, and the entries that are not on it say ${oursMinor} (${currency})`
}
