/**
 * Moves everything to another database while the service continues: copies all rows, brings over what was written meanwhile,
 * compares, and only then refuses writes for the moment in which the last of them are brought over.
 */
import type { Act } from '../../storage/audit/log.ts'
import { endArrival, findArrival, noteArrival } from '../../storage/backup/arrival.ts'
import { fillDatabase } from '../../storage/backup/copy.ts'
import { holdsData } from '../../storage/backup/facts.ts'
import {
  findMove,
  finishMove,
  flushCommits,
  giveUpMoves,
  lowerFence,
  type Move,
  noteMove,
  raiseFence,
} from '../../storage/backup/fence.ts'
import { whileMoving } from '../../storage/backup/locks.ts'
import { startTracking } from '../../storage/backup/tracking.ts'
import type { Db } from '../../storage/db.ts'
import type { Progress } from '../create.ts'
import { expectUnused, fillTables } from '../fill.ts'
import { unfit } from '../manifest.ts'
import { withSnapshot } from '../snapshot.ts'
import { type Compared, catchUp, catchUpAndCompare, type Databases } from './catch-up.ts'
import { type Alone, expectReachable, explainLoss } from './failure.ts'

/** `caughtUp` and `fenced`: how many rows were replaced before the fence and behind it. */
export type Moved = Compared & { caughtUp: number; fenced: number; seconds: Seconds }
/** `fence`: from the first refused write until the other database is open. */
export type Seconds = { copy: number; catchUp: number; compare: number; fence: number }
/** `act`: what the audit log of the other database calls the move. */
type Wanted = { target: string; now: () => Date; act: Act; onProgress: Progress }

/** So few rows are brought over in a moment, so the fence can be raised. */
const FEW = 500
/** After so many rounds the fence is raised in any case: the service writes as fast as the rows can be copied. */
const ROUNDS_MAX = 20

/**
 * At any moment a service can write to at most one of the two databases: the old one is closed first, and the other one is opened
 * last. If the move fails, the service goes on with the old one. If the command is killed, or a database crashes, the move can be
 * repeated or taken back.
 * Returns null if an earlier command had moved everything and was killed before it could open the other database.
 * @throws AppError validation_failed whose message says why nothing was moved, or storage_unavailable whose message says what a
 * crashed database has left
 */
export async function moveDatabase(from: Db, to: Db, wanted: Wanted): Promise<Moved | null> {
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

async function moveAlone(from: Db, to: Db, wanted: Wanted & Alone): Promise<Moved | null> {
  const [earlier, arrival] = [await findMove(from), await findArrival(to)]
  const isCopied = earlier !== null && arrival?.moveId === earlier.id
  if (earlier?.finishedAt) {
    if (!isCopied)
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
  if (earlier && isCopied) await lowerFence(from, earlier)
  else if (earlier) await giveUpMoves(from)
  const move = isCopied ? earlier : await noteMove(from, wanted.target, wanted.now())
  return moveRows({ from, to, move }, isCopied, wanted)
}

async function moveRows(databases: Databases, isCopied: boolean, wanted: Wanted & Alone): Promise<Moved> {
  const { from, to, move } = databases
  const seconds: Seconds = { copy: 0, catchUp: 0, compare: 0, fence: 0 }
  const timed = stopwatch(seconds)
  try {
    const prepared = await prepare(databases, { isCopied, onProgress: wanted.onProgress, timed })
    if (prepared.faults.length > 0) {
      await giveUpMoves(from)
      return { ...prepared, fenced: 0, seconds }
    }
    wanted.onProgress('Refusing writes, and bringing over the last of them')
    const fenced = await timed('fence', () => closeSource(databases, wanted))
    // From here on only the other database counts, whatever fails.
    await timed('fence', () => endArrival(to, move.id, wanted.act))
    return { ...prepared, fenced, seconds }
  } catch (error) {
    // If this database was lost, the move stays noted as it is, and the repeated command continues it.
    const current = await wanted.expectAlone().then(() => findMove(from))
    if (!current?.finishedAt) await giveUpMoves(from)
    throw error
  }
}

type Preparation = { isCopied: boolean; onProgress: Progress; timed: ReturnType<typeof stopwatch> }

/** Everything that is done while the service takes payments. Afterwards few rows are missing in the other database. */
async function prepare(
  databases: Databases,
  { isCopied, onProgress, timed }: Preparation,
): Promise<Compared & { caughtUp: number }> {
  if (!isCopied) await timed('copy', () => copy(databases, onProgress))
  onProgress('Bringing over what was written meanwhile')
  const before = await timed('catchUp', () => catchUpRounds(databases))
  onProgress('Comparing every row')
  const { keys, ...compared } = await timed('compare', () => catchUpAndCompare(databases))
  const after = compared.faults.length > 0 ? 0 : await timed('catchUp', () => catchUpRounds(databases))
  return { ...compared, caughtUp: before + keys + after }
}

/** Refuses writes, and brings over the last ones. Returns how many rows they were. */
async function closeSource(
  databases: Databases,
  { now, expectAlone, expectAloneThere }: Wanted & Alone,
): Promise<number> {
  await raiseFence(databases.from, databases.move, now())
  const last = await catchUp(databases)
  await expectAlone()
  // Otherwise nothing could be stored anywhere until the other database has recovered.
  await expectAloneThere()
  await finishMove(databases.from, databases.move, now())
  return last
}

function stopwatch(seconds: Seconds) {
  return async <Result>(part: keyof Seconds, work: () => Promise<Result>): Promise<Result> => {
    const startedMs = performance.now()
    const result = await work()
    seconds[part] += (performance.now() - startedMs) / 1_000
    return result
  }
}

async function copy({ from, to, move }: Databases, onProgress: Progress): Promise<void> {
  const tables = await withSnapshot(from, async ({ tables }) => tables)
  await startTracking(from, tables)
  await withSnapshot(from, ({ facts, tables, read }) =>
    fillDatabase(to, async (tx) => {
      await expectUnused(tx)
      await fillTables(tx, { facts, tables, read, skippedNumbers: 0 }, (_, __, line) => onProgress(line))
      await noteArrival(tx, { moveId: move.id, startedAt: move.startedAt })
      await flushCommits(from, move)
    }),
  )
}

/** Repeats the catching up until little is left. */
async function catchUpRounds(databases: Databases): Promise<number> {
  let all = 0
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const keys = await catchUp(databases)
    all += keys
    if (keys < FEW) break
  }
  return all
}
