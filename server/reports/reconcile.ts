/**
 * Compares a provider's statement with the books of one account. It keeps the lines, and finds what one side has and the other has not.
 * Rule: work is done page by page, so a statement of any length needs the same memory. Each page is safe to repeat: a line, a
 * difference and a statement are stored once, so the same file twice changes nothing.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { findAnswers, markOfStatements, saveAnswers } from '../storage/reports/files.ts'
import {
  assignLine,
  findUnknownLines,
  insertStatement,
  listStatements,
} from '../storage/reports/statements.ts'
import { expectAccount } from './account.ts'
import { compareLines, compareRecorded } from './comparing.ts'
import { completeTime } from './complete.ts'
import type { Examined } from './examine.ts'
import { inTurn } from './in-turn.ts'
import { type Counted, emptyCount } from './keep-findings.ts'
import { type Understanding, wordsAnswered } from './reading/understand.ts'
import { type StatementToStore, storeStatement } from './store.ts'
import { dropOpen, takeOut, withdrawInTurn } from './withdraw.ts'

const PAGE = 500

export type Reconciled = Counted &
  Omit<StatementToStore, 'run'> & {
    /** Names this statement: the SHA-256 of the file. */
    statement: string
    format: Understanding['name']
    /** The time in which every entry must be on a statement. Null while the statements cover less than two days. */
    complete: { from: Date; until: Date } | null
  }

/**
 * Stores the lines of a statement that was examined, and compares them with the books. Its earlier reading and the statements that it
 * replaces go. `by`: who does it. @throws AppError validation_failed for a statement without lines
 */
export async function reconcile(
  ctx: Context,
  accountId: string,
  examined: Examined,
  { by }: { by: string },
): Promise<Reconciled> {
  await expectAccount(ctx, accountId)
  if (examined.changed.length > 0)
    throw new AppError('validation_failed', {
      reason: 'statement_changed',
      message: 'Another statement has some of these lines with another amount.',
    })
  return inTurn(ctx, accountId, async () => {
    // Another statement may have been stored or withdrawn since the examination.
    if ((await markOfStatements(ctx.db, accountId)) !== examined.mark)
      throw new AppError('validation_failed', {
        reason: 'statement_meanwhile',
        message: `Another statement of ${accountId} was read or withdrawn meanwhile. Nothing was stored. Run it again.`,
      })
    return storeAndCompare(ctx, accountId, examined, by)
  })
}

async function storeAndCompare(
  ctx: Context,
  accountId: string,
  examined: Examined,
  by: string,
): Promise<Reconciled> {
  const { digest, replaces, understanding } = examined
  const { run, ...stored } = await storeStatement(ctx, accountId, examined)
  await keepAnswers(ctx, accountId, examined)
  const before = await listStatements(ctx.db, accountId)
  // A list of payouts has no payments, so no payment is missing from it.
  const isOfPayments = stored.lines > stored.payouts
  if (isOfPayments) await storeRange(ctx, accountId, { statement: stored, digest }, before)
  const left = await takeOut(ctx, accountId, { digest, run })
  const count = emptyCount()
  for (const other of replaces)
    count.settled += (
      await withdrawInTurn(ctx, { accountId, digest: other }, { by, why: `replaced by ${digest}` })
    ).differences
  await assignUnknown(ctx, accountId)
  if (left.lines > 0 || run > 1) count.settled += await dropOpen(ctx, accountId)
  const complete = isOfPayments ? completeTime(await listStatements(ctx.db, accountId), stored) : null
  await compareLines(ctx, accountId, { ...stored, complete, count })
  if (complete) await compareRecorded(ctx, accountId, { ...stored, complete, count })
  return { ...count, ...stored, statement: digest, format: understanding.name, complete }
}

/** Answers of a person count for all later files with this head. */
async function keepAnswers(
  ctx: Context,
  accountId: string,
  { understanding, answers: given }: Examined,
): Promise<void> {
  if (Object.keys(given).length === 0) return
  const { head } = understanding
  const isOfWords = given.credit !== undefined || given.statuses !== undefined
  const answers = { ...given, ...(isOfWords && { wordsKnown: wordsAnswered(understanding) }) }
  const known = await findAnswers(ctx.db, accountId, head)
  const merged = { ...(known as object | null), ...answers }
  if (sorted(known ?? {}) !== sorted(merged))
    await saveAnswers(ctx.db, accountId, head, merged, ctx.clock.now())
}

const sorted = (answers: object) => JSON.stringify(Object.entries(answers).sort())

async function storeRange(
  ctx: Context,
  accountId: string,
  { statement, digest }: { statement: Omit<StatementToStore, 'run'>; digest: string },
  known: Awaited<ReturnType<typeof listStatements>>,
): Promise<void> {
  const { lines, from: fromAt, until: untilAt } = statement
  const isKnown = known.some(
    (each) =>
      each.digest === digest &&
      each.fromAt.getTime() === fromAt.getTime() &&
      each.untilAt.getTime() === untilAt.getTime(),
  )
  if (!isKnown) await insertStatement(ctx.db, accountId, { digest, lines, fromAt, untilAt }, ctx.clock.now())
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
