/**
 * Stores the lines of a statement, page by page. Each page is safe to repeat, and a reading that was interrupted is completed by the
 * next one.
 */
import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { beginStatementFile, findStatementFile } from '../storage/reports/files.ts'
import {
  type FileRun,
  type PlacedLine,
  type StoredLine,
  storeContents,
  storeLines,
} from '../storage/reports/statements.ts'
import type { Examined } from './examine.ts'
import { type Finder, newFinder } from './numbers.ts'
import { placeLines } from './place.ts'
import { type NamedLine, readLines } from './reading/read.ts'

const PAGE = 500

export type StatementToStore = {
  /** Lines in the file that moved money, and how many of them were new or had changed. */
  lines: number
  newLines: number
  fees: number
  payouts: number
  others: number
  from: Date
  until: Date
  /** The number of this reading of the file. Lines of earlier readings are no longer in the file. */
  run: number
}

/** @throws AppError validation_failed for a statement without lines */
export async function storeStatement(
  ctx: Context,
  accountId: string,
  { understanding, preview, digest }: Examined,
): Promise<StatementToStore> {
  if (!preview) throw new Error('Bug! A statement with an open question is not stored.')
  const { lines: count, earliest: from, latest: until, kinds } = preview
  if (count === 0 || !from || !until)
    throw new AppError('validation_failed', {
      message: 'The statement has no lines that moved money.',
      reason: 'statement_empty',
    })
  const reading = createHash('sha256').update(JSON.stringify(understanding.format)).digest('hex')
  const run = await beginRun(ctx, accountId, { digest, lines: count, fromAt: from, untilAt: until, reading })
  const finder = await newFinder(ctx, accountId)
  const isGuess = understanding.name === 'guessed'
  let newLines = 0
  let page: NamedLine[] = []
  const flush = async () => {
    newLines += await storePage(ctx, accountId, page, { finder, isGuess, file: { digest, run } })
    page = []
  }
  for await (const line of readLines(understanding).lines) if (page.push(line) >= PAGE) await flush()
  if (page.length > 0) await flush()
  return {
    lines: count,
    newLines,
    fees: kinds.fee ?? 0,
    payouts: kinds.payout ?? 0,
    others: kinds.other ?? 0,
    from,
    until,
    run,
  }
}

/** The same file in the same reading writes nothing. */
async function beginRun(
  ctx: Context,
  accountId: string,
  file: { digest: string; lines: number; fromAt: Date; untilAt: Date; reading: string },
): Promise<number> {
  const known = await findStatementFile(ctx.db, accountId, file.digest)
  const isSame =
    known !== null &&
    known.withdrawnAt === null &&
    known.reading === file.reading &&
    known.lines === file.lines
  return isSame ? known.run : beginStatementFile(ctx.db, accountId, file, ctx.clock.now())
}

type StoreOptions = { finder: Finder; isGuess: boolean; file: FileRun }

/** Returns the number of lines that were new or had changed. Lines with the same values are not written. */
async function storePage(
  ctx: Context,
  accountId: string,
  page: readonly NamedLine[],
  { finder, isGuess, file }: StoreOptions,
): Promise<number> {
  // In a file whose columns were guessed, a cell names an order only if the amount fits too.
  const named = await finder(page.map((line) => ({ ...line, exact: isGuess ? line.orderNames : [] })))
  const placed = await placeLines(ctx, accountId, page)
  const fresh = placed.flatMap(({ line, lineId, stored }, at): PlacedLine[] => {
    const { found, maybe } = named[at] ?? { found: null, maybe: [] }
    const { row: _, texts: __, ordinal: ___, ...rest } = line
    const whole = { ...rest, lineId, orderNames: isGuess ? [] : rest.orderNames, found, maybe }
    return stored && isStored(whole, stored) ? [] : [whole]
  })
  const unnoted = placed.filter(
    ({ line, contents }) =>
      !contents.some(
        (each) => each.digest === file.digest && each.run === file.run && each.line === line.line,
      ),
  )
  if (unnoted.length > 0)
    await storeContents(
      ctx.db,
      accountId,
      file,
      unnoted.map(({ line, lineId }) => ({ lineId, line: line.line })),
    )
  return fresh.length === 0 ? 0 : storeLines(ctx.db, accountId, fresh)
}

const isStored = (line: PlacedLine, stored: StoredLine) =>
  line.at.getTime() === stored.at.getTime() &&
  line.kind === stored.kind &&
  line.currency === stored.currency &&
  line.amountMinor === stored.amountMinor &&
  line.feeMinor === stored.feeMinor &&
  (line.payoutId ?? stored.payoutId) === stored.payoutId &&
  line.maybe.join() === stored.maybe.join() &&
  (line.found === null || stored.paymentId !== null)
