/** Compares page after page: first the lines of a time, then the entries of that time that have no line. */
import type { Context } from '../context.ts'
import { listMerchants } from '../storage/merchants/merchants.ts'
import type { NamedAttempt } from '../storage/payments/attempt.ts'
import {
  listAttemptsWithEntries,
  listEntriesOfAttempts,
  listFindingsById,
  listFindingsOfAttempts,
  type NewFinding,
  SIDES,
} from '../storage/reports/findings.ts'
import { type KnownLine, listLines, listLinesOfAttempts } from '../storage/reports/statements.ts'
import { expectAccount } from './account.ts'
import { type Complete, compareAttempt, findingOfUnknown, NEVER } from './compare.ts'
import { type Counted, keepFindings, keyOf } from './keep-findings.ts'

const PAGE = 500
const MONEY: readonly string[] = SIDES

type Range = { from: Date; until: Date; complete: Complete | null; count: Counted }

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
export async function compareRecorded(
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
      const page = await listAttemptsWithEntries(ctx.db, { accountId, merchantId }, range, PAGE)
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
