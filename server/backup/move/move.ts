/**
 * Moves everything to another database while no service runs: closes the old database, copies every row, compares every row, closes
 * the old database for good, and only then opens the other one.
 */
import { counted } from '../../messages/counted.ts'
import type { Act } from '../../storage/audit/log.ts'
import { endArrival, findArrival, noteArrival } from '../../storage/backup/arrival.ts'
import { fillDatabase, readSnapshot } from '../../storage/backup/copy.ts'
import { holdsData } from '../../storage/backup/facts.ts'
import {
  findMove,
  finishMove,
  giveUpMoves,
  type Move,
  noteMove,
  raiseFence,
} from '../../storage/backup/fence.ts'
import { whileMoving } from '../../storage/backup/locks.ts'
import { nameOfTable, type Table } from '../../storage/backup/tables.ts'
import { type Db, inTransaction } from '../../storage/db.ts'
import { listLivingProcesses } from '../../storage/processes.ts'
import { type Digest, digestTable, findFaults, isSame } from '../compare.ts'
import type { Progress } from '../create.ts'
import { expectUnused, fillTables } from '../fill.ts'
import { unfit } from '../manifest.ts'
import { type ManifestFacts, withSnapshot } from '../snapshot.ts'
import { type ExclusiveLocks, expectReachable, explainLoss } from './failure.ts'

export type Moved = { rows: number; tables: number; faults: string[] }
/** `act`: what the audit log of the other database calls the move. */
type MoveRequest = { target: string; now: () => Date; act: Act; onProgress: Progress }
type Copied = { facts: ManifestFacts; tables: (Table & Digest)[] }

/**
 * At any moment at most one of the two databases can be written. If the move fails, the old database is opened again. If the command
 * is killed, or a database crashes, the move can be repeated or taken back.
 * Returns null if an earlier command had moved everything and was killed before it could open the other database.
 * @throws AppError validation_failed whose message says why nothing was moved, or storage_unavailable whose message says what a
 * crashed database has left
 */
export async function moveDatabase(from: Db, to: Db, wanted: MoveRequest): Promise<Moved | null> {
  const result = await whileMoving(from, async (expectAlone) => {
    await expectReachable(to, { from, target: wanted.target })
    return whileMoving(to, async (expectAloneThere) => {
      const alone = { expectAlone, expectAloneThere }
      const moved = await moveAlone(from, to, { ...wanted, ...alone }).catch(async (error: unknown) => {
        throw await explainLoss(error, { from, target: wanted.target, ...alone })
      })
      return { moved }
    })
  })
  if (!result) throw unfit('Another command is moving one of the two databases. Wait until it has ended.')
  return result.moved
}

/** Allows writes to a database again whose move is not wanted any more. Returns the move; null if there was none. */
export async function takeBack(db: Db): Promise<Move | null> {
  const result = await whileMoving(db, async () => {
    const move = await findMove(db)
    if (move) await giveUpMoves(db)
    return { move }
  })
  if (!result) throw unfit('The command that moves this database still runs. End it first.')
  return result.move
}

async function moveAlone(from: Db, to: Db, wanted: MoveRequest & ExclusiveLocks): Promise<Moved | null> {
  const [earlier, arrival] = [await findMove(from), await findArrival(to)]
  if (earlier?.finishedAt) {
    if (arrival?.moveId !== earlier.id)
      throw unfit(
        `Everything in this database was moved to ${earlier.target} already. Set DATABASE_URL to it in the settings of every service and worker, and restart them.`,
      )
    await endArrival(to, earlier.id, wanted.act)
    return null
  }
  if (!(await holdsData(from))) throw unfit('This database has no merchants, so there is nothing to move.')
  // The rows of a move that was interrupted were never used, so they may be overwritten.
  if (!arrival && (await holdsData(to)))
    throw unfit(
      'The other database already has merchants, and a move never overwrites them. Choose an empty database.',
    )
  await expectStopped(from)
  if (earlier) await giveUpMoves(from)
  return moveRows(from, to, wanted)
}

async function moveRows(from: Db, to: Db, wanted: MoveRequest & ExclusiveLocks): Promise<Moved> {
  const { onProgress, now, act, expectAlone, expectAloneThere } = wanted
  const move = await noteMove(from, wanted.target, now())
  try {
    onProgress('Closing this database')
    await raiseFence(from, move)
    // A service that was started meanwhile can write nothing, but it would go on for ever.
    await expectStopped(from)
    const { facts, tables } = await copy(from, to, { move, onProgress })
    onProgress('Comparing every row')
    await compareRows(to, tables)
    const faults = await findFaults(to, facts)
    const moved = { rows: tables.reduce((sum, { rows }) => sum + rows, 0), tables: tables.length, faults }
    if (faults.length > 0) {
      await giveUpMoves(from)
      return moved
    }
    await expectAlone()
    // Otherwise nothing could be stored anywhere until the other database has recovered.
    await expectAloneThere()
    await finishMove(from, move, now())
    // From here on only the other database counts, whatever fails.
    await endArrival(to, move.id, act)
    return moved
  } catch (error) {
    // If this database was lost, it stays closed, and the repeated command begins again.
    const current = await expectAlone().then(() => findMove(from))
    if (!current?.finishedAt) await giveUpMoves(from)
    throw error
  }
}

/** @throws AppError validation_failed if a service, a worker or another command uses the database, also through a pooler */
async function expectStopped(db: Db): Promise<void> {
  await inTransaction(db, expectUnused)
  const [living] = await listLivingProcesses(db, '')
  if (living)
    throw unfit(
      `A process of Kassa (${living.name}) has used this database within the last 30 seconds. Stop every service and worker of this database. If the process was killed, wait 30 seconds.`,
    )
}

async function copy(
  from: Db,
  to: Db,
  { move, onProgress }: { move: Move; onProgress: Progress },
): Promise<Copied> {
  return withSnapshot(from, ({ facts, tables, read }) =>
    fillDatabase(to, async (tx) => {
      const copied: Copied['tables'] = []
      await expectUnused(tx)
      await fillTables(tx, { facts, tables, read, skippedNumbers: 0 }, (table, digest, line) => {
        copied.push({ ...table, ...digest })
        onProgress(line)
      })
      await noteArrival(tx, { moveId: move.id, startedAt: move.startedAt })
      return { facts, tables: copied }
    }),
  )
}

/** Reads every row of the other database, and compares the rows with those that were copied. */
async function compareRows(to: Db, tables: Copied['tables']): Promise<void> {
  await readSnapshot(to, async (tx) => {
    for (const table of tables) {
      const found = await digestTable(tx, table)
      if (!isSame(found, table))
        throw unfit(
          `${nameOfTable(table)} differs in the other database: it has ${counted(found.rows, 'row')} there and ${table.rows} here. Go on with this database, and report this.`,
        )
    }
  })
}
