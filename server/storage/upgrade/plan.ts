/** Plans an upgrade: what it would do, and what would wait for it. */
import { type Db, withoutTimeLimits } from '../db.ts'
import { textIn } from './apply.ts'
import {
  type MigrationFile,
  type Release,
  readMigrations,
  type Schema,
  SHARED,
  THIS_RELEASE,
} from './files.ts'
import { listPending, readLedger, refuseNewerSchema } from './ledger.ts'
import { blocksOf, type Lock, locksOf, newTables, type Step } from './locks.ts'
import { splitStatements } from './statements.ts'

/** A table that an upgrade locks. `blocks`: what waits meanwhile. `rows`: PostgreSQL's estimate. */
export type PlannedLock = {
  table: string
  lock: Lock
  blocks: 'writes' | 'reads and writes' | null
  takes: Step['takes']
  rows: number
  bytes: number
}
/** `unknown`: statements whose locks the table of locks does not list. */
export type PlannedMigration = {
  schema: Schema
  name: string
  oldestVersion: string
  isConcurrent: boolean
  locks: PlannedLock[]
  unknown: string[]
}

/**
 * Returns what `migrate` would do for these worlds. Changes nothing.
 * @throws AppError storage_unavailable if `migrate` would reject the database
 */
export function planMigrations(
  db: Db,
  worlds: readonly Schema[],
  release: Release = THIS_RELEASE,
): Promise<PlannedMigration[]> {
  return withoutTimeLimits(db, async (client) => {
    await client.query('begin read only')
    const entries = await readLedger(client)
    refuseNewerSchema(entries, release)
    const planned: PlannedMigration[] = []
    const sizes = await readSizes(client)
    const domains = await readDomains(client)
    for (const schema of [SHARED, ...worlds] as const)
      for (const file of listPending(await readMigrations(schema, release), entries, schema))
        planned.push(planOf(schema, file, sizes, domains))
    return planned
  })
}

type Size = { rows: number; bytes: number }

/** Leaves out tables that the migrations create, because nobody can wait for their locks. */
function planOf(
  schema: Schema,
  file: MigrationFile,
  sizes: ReadonlyMap<string, Size>,
  domains: ReadonlyMap<string, string[]>,
): PlannedMigration {
  const statements = splitStatements(textIn(schema, file.text))
  const own = newTables(statements)
  const locks: PlannedLock[] = []
  const unknown: string[] = []
  for (const statement of statements) {
    const steps = locksOf(statement)
    if (!steps) unknown.push(statement)
    for (const { table, lock, takes } of (steps ?? []).flatMap((step) => stepsInTables(step, domains))) {
      const size = sizes.get(table)
      const isKnown = locks.some((each) => each.table === table && each.lock === lock && each.takes === takes)
      if (size && !own.includes(table) && !isKnown)
        locks.push({ table, lock, blocks: blocksOf(lock), takes, ...size })
    }
  }
  const { name, oldestVersion, concurrent } = file
  return { schema, name, oldestVersion, isConcurrent: concurrent !== null, locks, unknown }
}

async function readSizes(client: Pick<Db, 'query'>): Promise<Map<string, Size>> {
  const { rows } = await client.query<Size & { table: string }>(
    `select n.nspname || '.' || c.relname as table, greatest(c.reltuples, pg_stat_get_live_tuples(c.oid), 0)::float8 as rows, pg_total_relation_size(c.oid)::float8 as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname in ('kassa', 'sandbox', 'live')`,
  )
  return new Map(rows.map(({ table, ...size }) => [table, size]))
}

/** Returns the same step for each table that it locks: those that use the domain, if it is about a domain. */
export function stepsInTables(step: Step, domains: ReadonlyMap<string, string[]>): Step[] {
  return (domains.get(step.table) ?? [step.table]).map((table) => ({ ...step, table }))
}

/** Returns the tables with a column of each domain. A domain that no table uses has none. */
export async function readDomains(client: Pick<Db, 'query'>): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ domain: string; tables: string[] }>(
    `select d.nspname || '.' || t.typname as domain,
       array(select distinct n.nspname || '.' || c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid
         join pg_namespace n on n.oid = c.relnamespace
         where a.atttypid = t.oid and not a.attisdropped and c.relkind in ('r', 'p') order by 1) as tables
     from pg_type t join pg_namespace d on d.oid = t.typnamespace where t.typtype = 'd'`,
  )
  return new Map(rows.map(({ domain, tables }) => [domain, tables]))
}
