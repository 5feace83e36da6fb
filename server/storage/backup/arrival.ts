/**
 * A move into this database. Until the move ends, this database refuses every write but those of the move, so no service can
 * work on half a copy.
 */
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from, to } from 'pg-copy-streams'
import { AppError } from '../../errors.ts'
import { type Act, MOVE, noteFilled } from '../audit/log.ts'
import { type Db, inTransaction, type Tx } from '../db.ts'
import { commitToDisk } from './copy.ts'
import { allowWrites, listAllTables, refuseWrites } from './fence.ts'
import { nameOfTable, type Table } from './tables.ts'
import { selectByKey, type TrackedTable } from './tracking.ts'

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
  // Then rows can be replaced in any order, and a row that others refer to can be deleted and inserted again.
  await alterReferences(tx, 'deferrable initially deferred')
}

/** Ends the move: a service may use this database from now on. */
export async function endArrival(db: Db, moveId: string, act: Act): Promise<void> {
  await inTransaction(db, async (tx) => {
    await commitToDisk(tx)
    await holdArrival(tx, moveId)
    for (const table of await listAllTables(tx)) await allowWrites(tx, table)
    await alterReferences(tx, 'not deferrable')
    await tx.query('delete from kassa.incoming_moves')
    await noteFilled(tx, act, `${MOVE} ${moveId}`)
  })
}

/**
 * Waits for an earlier transaction of a move that was killed.
 * @throws AppError storage_unavailable if another move has filled this database since
 */
export async function holdArrival(tx: Tx, moveId: string): Promise<void> {
  const { rowCount } = await tx.query('select from kassa.incoming_moves where move_id = $1 for update', [
    moveId,
  ])
  if (rowCount !== 1)
    throw new AppError('storage_unavailable', {
      message: 'Another move has begun to fill the other database, so this one cannot go on.',
    })
}

async function alterReferences(tx: Tx, how: string): Promise<void> {
  const { rows } = await tx.query<{ table: string; name: string }>(
    `select n.nspname || '.' || c.relname as table, quote_ident(k.conname) as name
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where k.contype = 'f' and n.nspname || '.' || c.relname = any($1)`,
    [(await listAllTables(tx)).map(nameOfTable)],
  )
  for (const { table, name } of rows) await tx.query(`alter table ${table} alter constraint ${name} ${how}`)
}

/** Deletes the rows that have one of these keys. The transaction remembers the keys for `copyReplaced`. */
export async function deleteByKeys(tx: Tx, table: TrackedTable, keys: Readable): Promise<number> {
  const remembered = keysOf(table)
  const columns = table.key.join(', ')
  await tx.query(
    `create temporary table ${remembered} on commit drop as select ${columns} from ${nameOfTable(table)} with no data`,
  )
  await pipeline(keys, tx.query(from(`copy ${remembered} (${columns}) from stdin`)) as Writable)
  const { rows } = await tx.query<{ count: number }>(`select count(*) as count from ${remembered}`)
  const same = table.key.map((column) => `source.${column} = keys.${column}`).join(' and ')
  await tx.query(`delete from ${nameOfTable(table)} as source using ${remembered} as keys where ${same}`)
  return rows[0]?.count ?? 0
}

/** The rows that now have the keys of `deleteByKeys`. */
export function copyReplaced(tx: Tx, table: TrackedTable): Readable {
  return tx.query(to(`copy (${selectByKey(table, keysOf(table))}) to stdout`))
}

const keysOf = (table: Table) => `pg_temp."${nameOfTable(table)}"`

/** Checks what the transaction has written. PostgreSQL alters no table while such checks are open. */
export async function checkReferences(tx: Tx): Promise<void> {
  await tx.query('set constraints all immediate')
}
