/**
 * A move out of this database, and its fence: from the fence on, this database refuses every write.
 * Rule: triggers refuse the writes, so it does not matter which processes are started later, or whether a pooler hides them. A write
 * that was committed before the fence is copied. A write after it fails, so nobody was told that it succeeded.
 */
import pg from 'pg'
import { AppError } from '../../errors.ts'
import { type Db, inTransaction, type Tx } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { SHARED } from '../upgrade/files.ts'
import { commitToDisk } from './copy.ts'
import { whileOthersWrite } from './locks.ts'
import { AUDIT_LOG, listTables, nameOfTable, type Table } from './tables.ts'

const FIELDS = fieldsOf('moves', ['id', 'target', 'startedAt', 'finishedAt'])
export type Move = RecordOf<'moves', typeof FIELDS>

const COLUMNS = selected(FIELDS)

/** Notes that a move begins. No service starts on this database from now on, also none of the version before. */
export async function noteMove(db: Db, target: string, at: Date): Promise<Move> {
  const { rows } = await db.query<{ id: string }>(
    'insert into kassa.moves (id, target, started_at, fenced_at) values (gen_random_uuid(), $1, $2, $2) returning id',
    [target, at],
  )
  return { id: rows[0]?.id ?? '', target, startedAt: at, finishedAt: null }
}

/**
 * Refuses every write from now on. Waits for the transactions that are writing. Each table is fenced alone, so a transaction may
 * find one table open and the next one closed: it fails as a whole.
 * @throws AppError request_in_progress if other transactions keep a table locked
 */
export async function raiseFence(db: Db, { target }: Move): Promise<void> {
  const why = `writes are refused, because everything is moved to ${target}: after the end of the move set DATABASE_URL to it and restart this process`
  for (const table of await inTransaction(db, listAllTables))
    await whileOthersWrite(db, (tx) => refuseWrites(tx, table, why))
}

/** Makes this database refuse every write to a table, as long as `allowWrites` was not called. Enables a trigger that was disabled. */
export async function refuseWrites(tx: Tx, table: Table, why: string): Promise<void> {
  await tx.query(
    `create or replace trigger kassa_moved before insert or update or delete or truncate on ${nameOfTable(table)}
     for each statement execute function kassa.refuse_write(${pg.escapeLiteral(why)})`,
  )
}

export async function allowWrites(tx: Tx, table: Table): Promise<void> {
  await tx.query(`drop trigger if exists kassa_moved on ${nameOfTable(table)}`)
}

/**
 * The tables that a fence closes. The audit log may belong to another role, and then nobody may add a trigger to it. It needs none:
 * a row is only appended in a transaction that writes to a table with a fence.
 */
export async function listAllTables(tx: Tx): Promise<Table[]> {
  const tables = await listTables(tx, [SHARED, 'sandbox', 'live'])
  return tables.filter((table) => nameOfTable(table) !== AUDIT_LOG)
}

/** A trigger is dropped only when nobody reads its table. It is disabled beside readers, such as a backup that takes hours. */
async function disableFence(db: Db): Promise<void> {
  for (const table of await inTransaction(db, (tx) => listTriggered(tx, 'kassa_moved')))
    await whileOthersWrite(db, (tx) =>
      tx.query(`alter table ${nameOfTable(table)} disable trigger kassa_moved`),
    )
}

async function listTriggered(tx: Tx, trigger: string): Promise<Table[]> {
  const { rows } = await tx.query<{ name: string }>(
    `select distinct n.nspname || '.' || c.relname as name
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where t.tgname = $1`,
    [trigger],
  )
  const names = rows.map(({ name }) => name)
  return (await listAllTables(tx)).filter((table) => names.includes(nameOfTable(table)))
}

/**
 * Ends every move: allows writes again.
 * @throws AppError request_in_progress if another program keeps a table locked. If it only reads, writes are allowed nevertheless.
 */
export async function giveUpMoves(db: Db): Promise<void> {
  await disableFence(db)
  for (const table of await inTransaction(db, (tx) => listTriggered(tx, 'kassa_moved')))
    await whileOthersWrite(db, (tx) => allowWrites(tx, table))
  await forgetNotes(db)
  // The note goes last: until then a service is refused, because a table may still be fenced.
  await db.query('delete from kassa.moves')
}

/** Drops what an interrupted move of version 0.2.0 has left: triggers that note each write, and the tables of their notes. */
async function forgetNotes(db: Db): Promise<void> {
  for (const event of ['insert', 'update', 'delete', 'truncate']) {
    const trigger = `kassa_track_${event}`
    for (const table of await inTransaction(db, (tx) => listTriggered(tx, trigger)))
      await whileOthersWrite(db, (tx) => tx.query(`drop trigger ${trigger} on ${nameOfTable(table)}`))
  }
  await db.query('drop schema if exists kassa_move cascade')
}

/** Notes that every row is in the other database. @throws AppError storage_unavailable if the move was taken back meanwhile */
export async function finishMove(db: Db, { id }: Move, at: Date): Promise<void> {
  const text = 'update kassa.moves set finished_at = $2 where id = $1'
  const rowCount = await inTransaction(db, async (tx) => {
    await commitToDisk(tx)
    return (await tx.query(text, [id, at])).rowCount
  })
  if (rowCount !== 1)
    throw new AppError('storage_unavailable', {
      message: 'This move was taken back by another command. Nothing was moved.',
    })
}

/** Returns the move out of this database, which may still run; null if there is none. */
export async function findMove(db: Pick<Db, 'query'>): Promise<Move | null> {
  const { rows: known } = await db.query<{ found: boolean }>(
    `select to_regclass('kassa.moves') is not null as found`,
  )
  if (!known[0]?.found) return null
  const { rows } = await db.query<Move>(
    `select ${COLUMNS} from kassa.moves
     order by started_at desc limit 1`,
  )
  return rows[0] ?? null
}
