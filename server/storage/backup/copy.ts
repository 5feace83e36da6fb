/** Copies whole tables out of and into a database, in PostgreSQL's own text format, which every version reads. */
import type { Readable, Writable } from 'node:stream'
import { from, to } from 'pg-copy-streams'
import { type Db, type Tx, withoutTimeLimits } from '../db.ts'
import { nameOfTable, type Table } from './tables.ts'

/** Every server then writes a value in the same way, whatever its own settings are. */
const TEXT_FORMAT = `
  set local enable_seqscan = on; set local timezone = 'UTC'; set local datestyle = 'ISO';
  set local intervalstyle = 'postgres'; set local bytea_output = 'hex'; set local extra_float_digits = 1;
  set local client_encoding = 'UTF8'`
/** One database waits in its transaction while the other one works. */
const WAIT_FOR_OTHER = 'set local idle_in_transaction_session_timeout = 0'
/** PostgreSQL otherwise goes on with the statement of a killed command, and keeps its locks, for as long as the statement takes. */
const CHECK_CLIENT = "set local client_connection_check_interval = '200ms'"

/**
 * The transaction's commit returns when it is on disk, also if the server's settings let commits return earlier. The steps of a
 * move follow each other over two databases, so a crash must not undo a step after the next one was done.
 */
export async function commitToDisk(tx: Tx): Promise<void> {
  await tx.query(
    `select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`,
  )
}

/** Runs `work` on one state of the database, whatever is written meanwhile. It blocks nobody. */
export function readSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inLongTransaction(db, 'begin isolation level repeatable read read only', work)
}

/** Runs `work` in one transaction that may take hours: all of it is stored, or nothing. */
export function fillDatabase<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inLongTransaction(db, 'begin', work)
}

function inLongTransaction<T>(db: Db, begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withoutTimeLimits(db, async (tx) => {
    await tx.query(begin)
    await tx.query(TEXT_FORMAT)
    await tx.query(CHECK_CLIENT)
    await tx.query(WAIT_FOR_OTHER)
    await commitToDisk(tx)
    const result = await work(tx)
    await tx.query('commit')
    return result
  })
}

/** The table's rows, one in a line. */
export function copyOut(tx: Tx, table: Table): Readable {
  // The audit log may be a view, and a view has to be selected from.
  return tx.query(to(`copy (select ${table.columns.join(', ')} from ${nameOfTable(table)}) to stdout`))
}

/** Takes the lines that `copyOut` gives. */
export function copyIn(tx: Tx, table: Table): Writable {
  return tx.query(from(`copy ${nameOfTable(table)} (${table.columns.join(', ')}) from stdin`))
}

/** Empties the tables of the rows that migrations put there. Their triggers are silenced. */
export async function emptyTables(tx: Tx, tables: readonly Table[]): Promise<void> {
  if (tables.length > 0) await tx.query(`truncate ${tables.map(nameOfTable).join(', ')}`)
}

/** Until `wakeTriggers` no trigger of ours judges a row. */
export async function silenceTriggers(tx: Tx, tables: readonly Table[]): Promise<void> {
  for (const table of tables) await tx.query(`alter table ${nameOfTable(table)} disable trigger user`)
}

export async function wakeTriggers(tx: Tx, tables: readonly Table[]): Promise<void> {
  for (const table of tables) await tx.query(`alter table ${nameOfTable(table)} enable trigger user`)
}
