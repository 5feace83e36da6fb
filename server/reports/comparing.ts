/** Compares page after page: first the lines of a time, then the entries of that time that have no line. */
import type { Context } from '../context.ts'
import { listMerchants } from '../storage/merchants/merchants.ts'
import type { NamedAttempt } from '../storage/payments/attempt.ts'
import { insertNewWarning, settleWarning } from '../storage/payments/payment-warnings.ts'
import {
  closeFinding,
  type FindingRecord,
  listAttemptsBooked,
  listEntriesOfAttempts,
  listFindingsById,
  listFindingsOfAttempts,
  type NewFinding,
  saveFinding,
} from '../storage/reports/findings.ts'
import { type KnownLine, listLines, listLinesOfAttempts } from '../storage/reports/statements.ts'
import { expectAccount } from './account.ts'
import { type Complete, compareAttempt, findingOfUnknown } from './compare.ts'
import { warningOf } from './warning.ts'

const PAGE = 500
const MONEY = ['taken', 'returned', 'disputed']
/** Where the statements are not complete about any time, no entry is missing. */
const NEVER: Complete = { from: new Date(8.64e15), until: new Date(-8.64e15) }

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
type Range = { from: Date; until: Date; complete: Complete | null; count: Counted }

export const emptyCount = (): Counted => ({
  ...{ matched: 0, missingHere: 0, missingThere: 0, differing: 0, waiting: 0, settled: 0 },
})
const keyOf = ({ paymentId, number }: Pick<NamedAttempt, 'paymentId' | 'number'>) => `${paymentId}/${number}`

/** Compares what the lines of this time are about, and counts those lines. */
export async function compareLines(
  ctx: Context,
  accountId: string,
  { from, until, complete, count }: Range,
): Promise<void> {
  let after = { at: new Date(from.getTime() - 1), lineId: '' }
  for (;;) {
    const page = await listLines(ctx.db, accountId, { after, until, limit: PAGE })
    const money = page.filter(({ kind }) => MONEY.includes(kind))
    const wrong = await compareAttempts(ctx, accountId, attemptsOf(money), {
      from,
      complete,
      count,
      page: money,
    })
    const unknown = money.filter(({ paymentId }) => paymentId === null)
    await keepUnknown(
      ctx,
      accountId,
      { unknown, known: money.filter(({ paymentId }) => paymentId !== null) },
      count,
    )
    count.matched += money.filter(({ lineId, paymentId }) => paymentId !== null && !wrong.has(lineId)).length
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last
  }
}

/** Compares the attempts of the account that have entries in this time, and no line in it. */
export async function compareBooked(
  ctx: Context,
  accountId: string,
  { from, complete, count }: Range & { complete: Complete },
): Promise<void> {
  const owner = await expectAccount(ctx, accountId)
  const merchantIds = owner ? [owner] : (await listMerchants(ctx.db)).map(({ id }) => id)
  // Lines at the end of the earlier statement that could not be compared then are compared now.
  const begin = new Date(Math.max(complete.from.getTime(), from.getTime() - 3 * 86_400_000))
  for (const merchantId of merchantIds) {
    let [at, after] = [begin, { paymentId: '', entry: 0 }]
    for (;;) {
      const range = { from: at, until: complete.until, after }
      const page = await listAttemptsBooked(ctx.db, { accountId, merchantId }, range, PAGE)
      const own = page.filter(({ isOwn }) => isOwn)
      const all = [...new Map(own.map((each) => [keyOf(each), each])).values()]
      const lines = await listLinesOfAttempts(ctx.db, accountId, all)
      const counted = lines.filter((line) => line.at >= from)
      const known = new Set(counted.map((each) => `${each.paymentId}/${each.attempt}`))
      const rest = all.filter((each) => !known.has(keyOf(each)))
      await compareAttempts(ctx, accountId, rest, { from, complete, count, page: [] })
      const last = page.at(-1)
      if (!last || page.length < PAGE) break
      at = last.createdAt
      after = { paymentId: last.paymentId, entry: last.entry }
    }
  }
}

function attemptsOf(lines: KnownLine[]): NamedAttempt[] {
  const found = new Map<string, NamedAttempt>()
  for (const { merchantId, paymentId, attempt } of lines)
    if (merchantId !== null && paymentId !== null && attempt !== null)
      found.set(`${paymentId}/${attempt}`, { merchantId, paymentId, number: attempt })
  return [...found.values()]
}

/**
 * Returns the lines that do not agree. `page`: the lines of this page. A difference counts where the first of its lines is, so that
 * an attempt whose lines are on two pages is counted once.
 */
async function compareAttempts(
  ctx: Context,
  accountId: string,
  attempts: NamedAttempt[],
  { from, complete, count, page }: Omit<Range, 'until'> & { page: KnownLine[] },
): Promise<Set<string>> {
  if (attempts.length === 0) return new Set()
  const [lines, entries, known] = [
    Map.groupBy(
      await listLinesOfAttempts(ctx.db, accountId, attempts),
      (each) => `${each.paymentId}/${each.attempt}`,
    ),
    Map.groupBy(await listEntriesOfAttempts(ctx.db, attempts), keyOf),
    await listFindingsOfAttempts(ctx.db, accountId, attempts),
  ]
  const here = new Set(page.map(({ lineId }) => lineId))
  const wrong = new Set<string>()
  const found: NewFinding[] = []
  for (const attempt of attempts) {
    const both = { lines: lines.get(keyOf(attempt)) ?? [], entries: entries.get(keyOf(attempt)) ?? [] }
    const compared = compareAttempt(attempt, both, complete ?? NEVER)
    const first = both.lines.find(({ at }) => at >= from)
    const isFirstPage = page.length === 0 || (first !== undefined && here.has(first.lineId))
    if (isFirstPage) addTo(count, compared)
    for (const lineId of compared.wrongLines) wrong.add(lineId)
    found.push(...compared.findings)
  }
  await keepFindings(ctx, accountId, { found, known }, count)
  return wrong
}

function addTo(count: Counted, { findings, waiting }: { findings: NewFinding[]; waiting: number }): void {
  count.waiting += waiting
  for (const { kind } of findings) addKind(count, kind)
}
function addKind(count: Counted, kind: NewFinding['kind']): void {
  if (kind === 'missing_here') count.missingHere++
  else if (kind === 'missing_there') count.missingThere++
  else count.differing++
}

async function keepUnknown(
  ctx: Context,
  accountId: string,
  { unknown, known }: { unknown: KnownLine[]; known: KnownLine[] },
  count: Counted,
): Promise<void> {
  const found = unknown.map(findingOfUnknown)
  for (const { kind } of found) addKind(count, kind)
  // A line that was unknown before, and belongs to a payment now.
  const ids = [...unknown, ...known].map(({ lineId }) => `line ${lineId}`)
  const before = await listFindingsById(ctx.db, accountId, ids)
  await keepFindings(ctx, accountId, { found, known: before }, count)
}

const hasSameSums = (one: FindingRecord, other: NewFinding) =>
  one.kind === other.kind && one.oursMinor === other.oursMinor && one.theirsMinor === other.theirsMinor

/**
 * Stores new differences and closes those that no longer exist. A difference that a person has closed stays closed while its
 * sums are the same.
 */
async function keepFindings(
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
        ...{ merchantId, paymentId, createdAt: now },
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
