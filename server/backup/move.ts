/** Moves everything to another database. The old database refuses every write from the first moment of the move. */

import { countRemaining, holdsData } from '../storage/backup/facts.ts'
import { findMove, finishMove, lowerFence, raiseFence } from '../storage/backup/fence.ts'
import { nameOfTable, type Table } from '../storage/backup/tables.ts'
import { APPLICATION, type Db } from '../storage/db.ts'
import type { Progress } from './create.ts'
import { compareRows, fill, findFaults } from './fill.ts'
import { unfit } from './manifest.ts'
import { type Digest, RowDigest } from './row-digest.ts'
import { withSnapshot } from './snapshot.ts'

export type Moved = { rows: number; tables: number; faults: string[] }
type Wanted = { target: string; now: () => Date; onProgress: Progress }

/**
 * Fences `from`, copies all its rows to `to`, compares them one by one, and marks the move as finished. A service that is started
 * on `from` then fails, because two databases with different payments could not be merged. If the move fails and the
 * other database is still empty, the fence is taken away. If the command is killed, the fence stays until the move is repeated or
 * taken back.
 * @throws AppError validation_failed whose message says why nothing was moved
 */
export async function moveDatabase(from: Db, to: Db, wanted: Wanted): Promise<Moved> {
  await refuseBusy(from)
  const isFilled = await expectTarget(from, to, wanted.target)
  await raiseFence(from, wanted.target, wanted.now())
  try {
    const moved = await copy(from, to, isFilled, wanted.onProgress)
    if (moved.faults.length > 0) await lowerFence(from)
    else await finishMove(from, wanted.now())
    return moved
  } catch (error) {
    // A service may run on the other database once it has rows, so only the operator may reopen this one.
    if (!(await holdsData(to).catch(() => true))) await lowerFence(from)
    throw error
  }
}

/** The fence would stop the writes of a running service anyway. This check tells the operator before any buyer gets an error. */
async function refuseBusy(from: Db): Promise<void> {
  const others = await countRemaining(from, APPLICATION)
  if (others > 0)
    throw unfit(
      `The service is running (${others} connections). Stop every service and worker first: they could store nothing during the move.`,
    )
  if (!(await holdsData(from))) throw unfit('This database has no merchants, so there is nothing to move.')
}

/** Returns whether an interrupted move has filled the other database already. Only the comparison is then left. */
async function expectTarget(from: Db, to: Db, target: string): Promise<boolean> {
  const earlier = await findMove(from)
  if (earlier?.finishedAt)
    throw unfit(`Everything in this database was moved to ${earlier.target} already. Nothing was changed.`)
  const isFilled = await holdsData(to)
  if (isFilled && earlier?.target !== target)
    throw unfit(
      'The other database already has merchants, and a move never overwrites them. Choose an empty database.',
    )
  return isFilled
}

async function copy(from: Db, to: Db, isFilled: boolean, onProgress: Progress): Promise<Moved> {
  const digests = new Map<string, RowDigest>()
  return withSnapshot(from, async ({ facts, tables, read }) => {
    const passing = (table: Table) => {
      const digest = new RowDigest()
      digests.set(nameOfTable(table), digest)
      return read(table).pipe(digest)
    }
    const digestOf = (table: Table) => digests.get(nameOfTable(table))?.result() ?? { rows: 0, digest: '' }
    // The rows are already there, so they are only read for their digests.
    if (isFilled) for (const table of tables) for await (const _ of passing(table));
    else await fill(to, { facts, tables, read: passing, digestOf, skippedNumbers: 0 }, onProgress)
    const copied: (Table & Digest)[] = tables.map((table) => ({ ...table, ...digestOf(table) }))
    onProgress('Reading every row again')
    await compareRows(to, copied)
    const rows = copied.reduce((sum, each) => sum + each.rows, 0)
    return { tables: copied.length, rows, faults: await findFaults(to, facts) }
  })
}
