/** The tables of Kassa as PostgreSQL describes them, in an order in which they can be filled. */
import type { Tx } from '../db.ts'

/** `columns`: every stored column, quoted. */
export type Table = { schema: string; name: string; columns: string[] }

type Reference = { from: string; to: string }

/**
 * No row of it is ever changed. It is a view where another role owns the log. Backups and moves have its rows under this name, and
 * they come into a table of the service: the next start gives them away again.
 */
export const AUDIT_LOG = 'kassa.audit_log'

/** The ledger of migrations is written by the migrations. Moves and running processes belong to one database alone. */
const LEFT_OUT = ['kassa.migrations', 'kassa.moves', 'kassa.incoming_moves', 'kassa.processes']

/** Returns the tables of these schemas. A table comes after those that its foreign keys lead to. */
export async function listTables(tx: Tx, schemas: readonly string[]): Promise<Table[]> {
  const { rows: tables } = await tx.query<Table>(
    `select n.nspname as schema, c.relname as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where (c.relkind = 'r' or c.relkind = 'v' and n.nspname || '.' || c.relname = '${AUDIT_LOG}') and n.nspname = any($1) and n.nspname || '.' || c.relname <> all($2)
     group by 1, 2 order by 1, 2`,
    [schemas, LEFT_OUT],
  )
  const { rows: references } = await tx.query<Reference>(
    `select cn.nspname || '.' || c.relname as from, fn.nspname || '.' || f.relname as to
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace cn on cn.oid = c.relnamespace
       join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
     where k.contype = 'f' and k.conrelid <> k.confrelid and cn.nspname = any($1)`,
    [schemas],
  )
  return sortByReferences(tables, references)
}

/** A sequence that has given out numbers. `last`: the highest of them, as text, because it may exceed 2^53. */
export type Sequence = { schema: string; name: string; last: string }

/** Numbers that were given out after the snapshot of `tx` count too, so no row in the snapshot has a higher one. */
export async function listSequences(tx: Tx, schemas: readonly string[]): Promise<Sequence[]> {
  const { rows } = await tx.query<Sequence>(
    `select schemaname as schema, sequencename as name, last_value::text as last from pg_sequences
     where schemaname = any($1) and last_value is not null order by 1, 2`,
    [schemas],
  )
  return rows
}

/** From now on each sequence gives out numbers that are higher than its last one by more than `skip`. */
export async function continueSequences(tx: Tx, sequences: readonly Sequence[], skip: number): Promise<void> {
  for (const { schema, name, last } of sequences)
    await tx.query('select setval($1::regclass, $2::bigint + $3::bigint)', [`${schema}.${name}`, last, skip])
}

export function nameOfTable({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${schema}.${name}`
}

function sortByReferences(tables: readonly Table[], references: readonly Reference[]): Table[] {
  const sorted: Table[] = []
  let left = [...tables]
  while (left.length > 0) {
    const missing = new Set(left.map(nameOfTable))
    const isReady = (table: Table) =>
      !references.some(({ from, to }) => from === nameOfTable(table) && missing.has(to))
    const ready = left.filter(isReady)
    if (ready.length === 0) throw new Error('Bug! Foreign keys of Kassa lead in a circle.')
    sorted.push(...ready)
    left = left.filter((table) => !ready.includes(table))
  }
  return sorted
}
