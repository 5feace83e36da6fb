/**
 * Compares a provider's statement with the books of one account. It keeps the lines, and finds what one side has and the other has not.
 * Rule: work is done page by page, so a statement of any length needs the same memory. Each page is safe to repeat: a line, a
 * difference and a statement are stored once, so the same file twice changes nothing.
 */
import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { StatementLine } from '../storage/reports/statements.ts'
import {
  assignLine,
  findUnknownLines,
  insertStatement,
  listStatements,
  storeLines,
} from '../storage/reports/statements.ts'
import { expectAccount } from './account.ts'
import { type Counted, compareBooked, compareLines, emptyCount } from './comparing.ts'
import type { Examined } from './examine.ts'
import type { StatementFile } from './reading/file.ts'
import { readLines } from './reading/read.ts'
import type { Understanding } from './reading/understand.ts'

const PAGE = 500
/** Before this long an entry at the edge of all statements may be on the next one. */
const EDGE_MS = 86_400_000

export type Reconciled = Counted & {
  format: Understanding['name']
  /** Lines in the file that moved money, and how many of them were new or had changed. */
  lines: number
  newLines: number
  fees: number
  payouts: number
  others: number
  from: Date
  until: Date
  /** The time in which every entry must be on a statement. Null while the statements cover less than two days. */
  complete: { from: Date; until: Date } | null
}

type Told = Pick<Reconciled, 'lines' | 'newLines' | 'fees' | 'payouts' | 'others' | 'from' | 'until'>

/**
 * Stores the lines of a statement that was examined, and compares them with the books.
 * @throws AppError validation_failed for a statement without lines
 */
export async function reconcile(
  ctx: Context,
  accountId: string,
  { file, understanding }: Examined,
): Promise<Reconciled> {
  await expectAccount(ctx, accountId)
  const told = await storeStatement(ctx, accountId, readLines(understanding).lines)
  // A list of payouts says nothing of payments, so none is missing on it.
  const isOfPayments = told.lines > told.payouts
  if (isOfPayments) await storeDigest(ctx, accountId, { told, digest: await digestOf(file) })
  await assignUnknown(ctx, accountId)
  const complete = isOfPayments ? await completeTime(ctx, accountId, told) : null
  const count = emptyCount()
  await compareLines(ctx, accountId, { ...told, complete, count })
  if (complete) await compareBooked(ctx, accountId, { ...told, complete, count })
  return { ...count, ...told, format: understanding.name, complete }
}

async function storeStatement(
  ctx: Context,
  accountId: string,
  lines: AsyncGenerator<StatementLine>,
): Promise<Told> {
  const kinds = { fee: 0, payout: 0, other: 0 }
  let [count, newLines, firstMs, lastMs] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let page = new Map<string, StatementLine>()
  const flush = async () => {
    newLines += await storeLines(ctx.db, accountId, [...page.values()])
    page = new Map()
  }
  for await (const line of lines) {
    count++
    if (line.kind in kinds) kinds[line.kind as 'fee']++
    firstMs = Math.min(firstMs, line.at.getTime())
    lastMs = Math.max(lastMs, line.at.getTime())
    page.set(line.lineId, line)
    if (page.size >= PAGE) await flush()
  }
  if (count === 0)
    throw new AppError('validation_failed', {
      message: 'The statement has no lines that moved money.',
      reason: 'statement_empty',
    })
  await flush()
  const { fee: fees, payout: payouts, other: others } = kinds
  const range = { from: new Date(firstMs), until: new Date(lastMs) }
  return { lines: count, newLines, fees, payouts, others, ...range }
}

async function digestOf(file: StatementFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of file.open()) hash.update(chunk)
  return hash.digest('hex')
}

async function storeDigest(
  ctx: Context,
  accountId: string,
  { told, digest }: { told: Told; digest: string },
): Promise<void> {
  const known = await listStatements(ctx.db, accountId)
  if (known.some((each) => each.digest === digest)) return
  const { lines, from: fromAt, until: untilAt } = told
  await insertStatement(ctx.db, accountId, { digest, lines, fromAt, untilAt }, ctx.clock.now())
}

/** Money that arrived here after its statement belongs to a payment now. */
async function assignUnknown(ctx: Context, accountId: string): Promise<void> {
  let after = { at: new Date(0), lineId: '' }
  for (;;) {
    const page = await findUnknownLines(ctx.db, accountId, after, PAGE)
    for (const { lineId, merchantId, paymentId, number } of page)
      if (merchantId !== null && paymentId !== undefined && number !== undefined && paymentId !== null)
        await assignLine(ctx.db, accountId, lineId, { merchantId, paymentId, number })
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last
  }
}

/** The time that this statement and those that join it cover, without its edges. */
async function completeTime(
  ctx: Context,
  accountId: string,
  { from, until }: Pick<Told, 'from' | 'until'>,
): Promise<Reconciled['complete']> {
  const all = await listStatements(ctx.db, accountId)
  let [first, last] = [from.getTime(), until.getTime()]
  for (let before = Number.NaN; before !== last - first; ) {
    before = last - first
    for (const { fromAt, untilAt } of all)
      if (fromAt.getTime() <= last + EDGE_MS && untilAt.getTime() >= first - EDGE_MS) {
        first = Math.min(first, fromAt.getTime())
        last = Math.max(last, untilAt.getTime())
      }
  }
  if (last - first <= 2 * EDGE_MS) return null
  return { from: new Date(first + EDGE_MS), until: new Date(last - EDGE_MS) }
}
