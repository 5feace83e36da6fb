/**
 * A move into this database. Until the move ends, this database refuses every write but those of the move, so no service can
 * work on half a copy.
 */
import { AppError } from '../../errors.ts'
import { type Act, MOVE, noteFilled } from '../audit/log.ts'
import { type Db, inTransaction, type Tx } from '../db.ts'
import { commitToDisk } from './copy.ts'
import { allowWrites, listAllTables, refuseWrites } from './fence.ts'

export type Arrival = { moveId: string; startedAt: Date }

const WHY = 'this database is being filled by a move that has not ended'

/** Returns the move into this database that has not ended; null if there is none. */
export async function findArrival(db: Pick<Db, 'query'>): Promise<Arrival | null> {
  const { rows: known } = await db.query<{ found: boolean }>(
    `select to_regclass('kassa.incoming_moves') is not null as found`,
  )
  if (!known[0]?.found) return null
  const { rows } = await db.query<Arrival>(
    'select move_id as "moveId", started_at as "startedAt" from kassa.incoming_moves',
  )
  return rows[0] ?? null
}

/** Notes the move and refuses every write. Called in the transaction that has copied the rows. */
export async function noteArrival(tx: Tx, { moveId, startedAt }: Arrival): Promise<void> {
  await tx.query('insert into kassa.incoming_moves (move_id, started_at) values ($1, $2)', [
    moveId,
    startedAt,
  ])
  for (const table of await listAllTables(tx)) await refuseWrites(tx, table, WHY)
}

/** Ends the move: a service may use this database from now on. */
export async function endArrival(db: Db, moveId: string, act: Act): Promise<void> {
  await inTransaction(db, async (tx) => {
    await commitToDisk(tx)
    await holdArrival(tx, moveId)
    for (const table of await listAllTables(tx)) await allowWrites(tx, table)
    await tx.query('delete from kassa.incoming_moves')
    await noteFilled(tx, act, `${MOVE} ${moveId}`)
  })
}

/**
 * Waits for an earlier transaction of a move that was killed.
 * @throws AppError storage_unavailable if another move has filled this database since
 */
async function holdArrival(tx: Tx, moveId: string): Promise<void> {
  const { rowCount } = await tx.query('select from kassa.incoming_moves where move_id = $1 for update', [
    moveId,
  ])
  if (rowCount !== 1)
    throw new AppError('storage_unavailable', {
      message: 'Another move has begun to fill the other database, so this one cannot go on.',
    })
}
