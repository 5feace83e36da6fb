/**
 * Notes the keys of all rows that are written while a move copies them. A note is written in the transaction that writes the row.
 * So whoever sees the row's new state sees its note too, and nothing is missed. A row may be noted several times.
 */
import type { Readable } from 'node:stream'
import { to } from 'pg-copy-streams'
import { type Db, inTransaction, type Tx } from '../db.ts'
import { besideWriters } from './locks.ts'
import { AUDIT_LOG, nameOfTable, type Table } from './tables.ts'

/** `key`: the quoted columns of the primary key. `notes`: the table of the keys that were written. */
export type TrackedTable = Table & { key: string[]; notes: string }

const EVENTS = {
  insert: 'new table as written',
  update: 'new table as written old table as gone',
  delete: 'old table as gone',
}

/** Begins to note every write to these tables. Waits for the transactions that are writing, one table after the other. */
export async function startTracking(db: Db, tables: readonly Table[]): Promise<void> {
  const tracked = await inTransaction(db, async (tx) => {
    await tx.query('create schema kassa_move')
    const all = await addKeys(tx, tables)
    for (const table of all.filter(isNoted))
      await tx.query(
        `create table ${table.notes} as select ${table.key.join(', ')} from ${nameOfTable(table)} with no data`,
      )
    for (const { notes } of all.filter((table) => !isNoted(table))) await viewAppended(tx, notes)
    return all.filter(isNoted)
  })
  for (const table of tracked) await besideWriters(db, (tx) => trackTable(tx, table))
}

const isNoted = (table: Table) => nameOfTable(table) !== AUDIT_LOG

/**
 * The audit log may belong to another role, and then it cannot have our trigger. Its rows are only appended. So every row after
 * the present last one counts as changed.
 */
async function viewAppended(tx: Tx, notes: string): Promise<void> {
  const { rows } = await tx.query<{ last: number }>(
    `select coalesce(max(seq), 0)::float8 as last from ${AUDIT_LOG}`,
  )
  await tx.query(`create view ${notes} as select seq from ${AUDIT_LOG} where seq > ${rows[0]?.last ?? 0}`)
}

async function trackTable(tx: Tx, table: TrackedTable): Promise<void> {
  const values = [table.notes, table.key.join(', ')].map((text) => `'${text}'`).join(', ')
  for (const [event, rows] of Object.entries(EVENTS))
    await tx.query(
      `create trigger kassa_track_${event} after ${event} on ${nameOfTable(table)} referencing ${rows}
       for each statement execute function kassa.note_written(${values})`,
    )
  // Nothing truncates a table in use, and a truncation could not be noted.
  await tx.query(
    `create trigger kassa_track_truncate before truncate on ${nameOfTable(table)}
     for each statement execute function kassa.refuse_write('no table is truncated while it is moved')`,
  )
}

/** Stops noting the writes to a table. */
export async function stopTracking(tx: Tx, table: Table): Promise<void> {
  for (const event of [...Object.keys(EVENTS), 'truncate'])
    await tx.query(`drop trigger if exists kassa_track_${event} on ${nameOfTable(table)}`)
}

/** Returns the tables to which the transaction's snapshot has notes. */
export async function listWritten(tx: Tx, tables: readonly Table[]): Promise<TrackedTable[]> {
  const written: TrackedTable[] = []
  for (const table of await addKeys(tx, tables)) {
    const { rows } = await tx.query<{ found: boolean }>(`select exists (select from ${table.notes}) as found`)
    if (rows[0]?.found) written.push(table)
  }
  return written
}

/** The keys of the rows that were written, each once, as `copy` writes them. */
export function copyWrittenKeys(tx: Tx, { key, notes }: TrackedTable): Readable {
  return tx.query(to(`copy (select distinct ${key.join(', ')} from ${notes}) to stdout`))
}

/** The present state of the rows that were written. A row that was deleted is not among them. */
export function copyWrittenRows(tx: Tx, table: TrackedTable): Readable {
  const distinct = `(select distinct ${table.key.join(', ')} from ${table.notes})`
  return tx.query(to(`copy (${selectByKey(table, distinct)}) to stdout`))
}

/** A query for the rows of a table whose keys another one has. */
export function selectByKey(table: TrackedTable, keys: string): string {
  const columns = table.columns.map((column) => `source.${column}`).join(', ')
  return `select ${columns} from ${keys} as keys join ${nameOfTable(table)} as source using (${table.key.join(', ')})`
}

/** Forgets the notes that the transaction's snapshot has. Later ones stay. */
export async function forgetWritten(tx: Tx, tables: readonly TrackedTable[]): Promise<void> {
  for (const { notes } of tables.filter(isNoted)) await tx.query(`delete from ${notes}`)
}

async function addKeys(tx: Tx, tables: readonly Table[]): Promise<TrackedTable[]> {
  const { rows } = await tx.query<{ name: string; key: string[] }>(
    `select n.nspname || '.' || c.relname as name,
       array_agg(quote_ident(a.attname) order by array_position(i.indkey::int2[], a.attnum)) as key
     from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
     where i.indisprimary and n.nspname || '.' || c.relname = any($1) group by 1`,
    [tables.map(nameOfTable)],
  )
  const keys = new Map(rows.map(({ name, key }) => [name, key]))
  return tables.map((table) => {
    const key = keys.get(nameOfTable(table))
    if (!key)
      throw new Error(`Bug! ${nameOfTable(table)} has no primary key, so its changes cannot be tracked.`)
    return { ...table, key, notes: `kassa_move."${nameOfTable(table)}"` }
  })
}
