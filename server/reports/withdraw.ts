/**
 * Takes a statement back. Its lines, its range and its open differences go. What a person has decided stays, and is marked. Payments
 * and entries are not touched, because no statement has made them.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { inTransaction } from '../storage/db.ts'
import {
  deleteContents,
  deleteLooseLines,
  type FileRecord,
  findOldContents,
  findStatementFile,
  listStatementFiles,
  withdrawStatementFile,
} from '../storage/reports/files.ts'
import { closeGoneFindings, listOpenFindings, markDecidedFindings } from '../storage/reports/findings.ts'
import { listStatements } from '../storage/reports/statements.ts'
import { expectAccount } from './account.ts'
import { completeTimes } from './complete.ts'
import { inTurn } from './in-turn.ts'
import { reexamine } from './keep-findings.ts'

const PAGE = 500
const FILES_LISTED = 50
/** No reading has this number, so all lines of the file are taken out. */
const NO_RUN = 0

export type Withdrawn = { digest: string; lines: number; kept: number; differences: number; decided: number }

/** Returns the files of an account that were read, the newest first. `start`: how their digest begins. @throws AppError not_found */
export async function listFiles(ctx: Context, accountId: string, start = ''): Promise<FileRecord[]> {
  await expectAccount(ctx, accountId)
  return listStatementFiles(ctx.db, accountId, start, FILES_LISTED)
}

/** Returns the file whose digest begins so. @throws AppError not_found for none and for several */
export async function expectFile(ctx: Context, accountId: string, start: string): Promise<FileRecord> {
  const [only, ...others] = /^[0-9a-f]{8,64}$/.test(start) ? await listFiles(ctx, accountId, start) : []
  if (only && others.length === 0) return only
  throw new AppError('not_found', {
    message: only
      ? `Several statements of ${accountId} begin with ${start}. Give more of it.`
      : `The account ${accountId} has no statement ${start}.`,
  })
}

type StatementName = { accountId: string; digest: string }
type WithdrawnBy = { by: string; why: string | null }

/** A withdrawal that was interrupted is completed by the next one. @throws AppError not_found */
export function withdrawStatement(ctx: Context, which: StatementName, by: WithdrawnBy): Promise<Withdrawn> {
  return inTurn(ctx, which.accountId, () => withdrawInTurn(ctx, which, by))
}

/** For a caller that has the account's turn already. */
export async function withdrawInTurn(
  ctx: Context,
  { accountId, digest }: StatementName,
  { by, why }: WithdrawnBy,
): Promise<Withdrawn> {
  const file = await findStatementFile(ctx.db, accountId, digest)
  if (!file)
    throw new AppError('not_found', { message: `The account ${accountId} has no statement ${digest}.` })
  const at = ctx.clock.now()
  // The range goes first: no difference may be found by it while the lines go.
  await withdrawStatementFile(ctx.db, { accountId, digest }, { at, by, why })
  const taken = await takeOut(ctx, accountId, { digest, run: NO_RUN })
  const differences = await dropOpen(ctx, accountId)
  return { digest, ...taken, differences }
}

/** Takes the lines out of a file that are not of this run. Decided differences about them are marked. */
export async function takeOut(
  ctx: Context,
  accountId: string,
  { digest, run }: { digest: string; run: number },
): Promise<{ lines: number; kept: number; decided: number }> {
  let [lines, kept, decided] = [0, 0, 0]
  for (;;) {
    const page = (await findOldContents(ctx.db, accountId, { digest, run }, PAGE)).map(({ lineId }) => lineId)
    if (page.length === 0) return { lines, kept, decided }
    const gone = await inTransaction(ctx.db, async (tx) => {
      await deleteContents(tx, accountId, digest, page)
      return deleteLooseLines(tx, accountId, page)
    })
    lines += page.length
    kept += page.length - gone.length
    if (gone.length > 0) decided += await markDecidedFindings(ctx.db, accountId, gone, ctx.clock.now())
  }
}

/** Closes open differences that no statement shows any more. Returns how many. */
export async function dropOpen(ctx: Context, accountId: string): Promise<number> {
  const times = completeTimes(await listStatements(ctx.db, accountId))
  let dropped = await closeGoneFindings(ctx.db, accountId, ctx.clock.now())
  let after = { foundAt: new Date(0), id: '' }
  for (;;) {
    const page = await listOpenFindings(ctx.db, accountId, { after, limit: PAGE })
    dropped += await reexamine(ctx, accountId, page, times)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return dropped
    after = last
  }
}
