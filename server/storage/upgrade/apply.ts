/**
 * Applies one migration while other versions of Kassa serve requests on the same database.
 * Rule: nobody waits for long. A request for a lock is given up after LOCK_WAIT_MS, because all later requests queue behind it,
 * and is repeated later. A statement that would hold a lock for longer than STATEMENT_MS is taken back.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN } from '../../invocation.ts'
import { inWorld, type Tx } from '../db.ts'
import { type MigrationFile, type Release, type Schema, SHARED } from './files.ts'
import { noteMigration, unfit } from './ledger.ts'

export const LOCK_WAIT_MS = 1_000
export const STATEMENT_MS = 10_000
const TRIES_MAX = 60
const PAUSE_MS = 200
const PAUSE_MAX_MS = 3_000
/** lock_not_available, deadlock_detected */
const BUSY = ['55P03', '40P01']
const CANCELED = '57014'

/** `ms`: how long the try took that worked. Its locks were held for at most as long. */
export type Applied = { migration: string; tries: number; ms: number }
/** `unhurried`: nobody else uses the database, so statements and locks may take as long as they like. */
export type Pace = { unhurried?: boolean; onProgress?: (line: string) => void }

export const textIn = (schema: Schema, text: string) => (schema === SHARED ? text : inWorld(text, schema))

/** @throws AppError storage_unavailable when the locks cannot be had, or a statement takes too long; nothing is changed then */
export async function applyMigration(
  client: Tx,
  { schema, file, release }: { schema: Schema; file: MigrationFile; release: Release },
  { unhurried = false, onProgress = () => {} }: Pace,
): Promise<Applied> {
  const migration = `${schema}/${file.name}`
  for (let tries = 1; ; tries++) {
    const started = performance.now()
    try {
      if (file.concurrent)
        await runConcurrently(
          client,
          file.concurrent.map((each) => textIn(schema, each)),
        )
      await client.query('begin')
      if (!unhurried)
        await client.query(
          `set local lock_timeout = ${LOCK_WAIT_MS}; set local statement_timeout = ${STATEMENT_MS}`,
        )
      if (!file.concurrent) await client.query(textIn(schema, file.text))
      await noteMigration(client, schema, file, release)
      await client.query('commit')
      return { migration, tries, ms: Math.round(performance.now() - started) }
    } catch (error) {
      await client.query('rollback')
      const { code = '' } = error as { code?: string }
      if (code === CANCELED)
        throw unfit(
          `Migration ${migration} needs a statement of more than ${STATEMENT_MS / 1_000} seconds, and payments would wait for it. Nothing of it is in the database. Stop every service and worker, then apply it without time limits: ${ADMIN} database migrate --unhurried`,
        )
      if (!BUSY.includes(code)) throw error
      if (tries === TRIES_MAX)
        throw unfit(
          `Migration ${migration} could not lock its tables ${tries} times: ${await describeBlocker(client)} Nothing of the migration is in the database. Start again afterwards.`,
        )
      if (tries === 1)
        onProgress(
          `Migration ${migration} waits for a transaction that uses its tables. Requests go on meanwhile.`,
        )
      await sleep(Math.min(PAUSE_MAX_MS, PAUSE_MS * tries))
    }
  }
}

/** Builds and drops indexes while others read and write. PostgreSQL leaves an unusable index behind where that was interrupted. */
async function runConcurrently(client: Tx, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    const [, name, table] = / if not exists (\w+) on (\S+)/i.exec(statement) ?? []
    const schema = table?.split('.')[0]
    if (name && !(await isUsable(client, `${schema}.${name}`)))
      await client.query(`drop index concurrently if exists ${schema}.${name}`)
    await client.query(statement)
  }
}

async function isUsable(client: Tx, index: string): Promise<boolean> {
  const { rows } = await client.query<{ usable: boolean }>(
    'select indisvalid as usable from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  return rows[0]?.usable ?? false
}

/** The oldest transaction that others are in, because that is most likely what holds the lock. */
async function describeBlocker(client: Tx): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(
    `select pid, application_name as name, extract(epoch from clock_timestamp() - xact_start)::int as seconds
     from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
     order by xact_start limit 1`,
  )
  const [oldest] = rows
  return oldest
    ? `the oldest transaction (${oldest.name || 'no name'}, process ${oldest.pid} of PostgreSQL) has been open for ${oldest.seconds} s. End it: select pg_terminate_backend(${oldest.pid}).`
    : 'other transactions were always in the way.'
}
