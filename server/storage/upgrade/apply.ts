/**
 * Applies one migration while other versions of Kassa serve requests on the same database.
 * Rule: no request waits for long. All later requests queue behind a migration that waits for a lock. So the migration stops
 * waiting after LOCK_WAIT_MS and tries again later. A statement that takes longer than STATEMENT_MS is rolled back.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN } from '../../invocation.ts'
import { counted } from '../../messages/counted.ts'
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

/** `ms`: the duration of the try that succeeded. It held its locks no longer than this. */
export type Applied = { migration: string; tries: number; ms: number }
/** `withoutTimeLimits`: nobody else uses the database, so statements and locks may take any time. */
export type Pace = { withoutTimeLimits?: boolean; onProgress?: (line: string) => void }

export const textIn = (schema: Schema, text: string) => (schema === SHARED ? text : inWorld(text, schema))

/** @throws AppError storage_unavailable if a lock stays taken or a statement takes too long. Then nothing has changed. */
export async function applyMigration(
  client: Tx,
  { schema, file, release }: { schema: Schema; file: MigrationFile; release: Release },
  { withoutTimeLimits = false, onProgress = () => {} }: Pace,
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
      if (!withoutTimeLimits)
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
          `Migration ${migration} has a statement that takes more than ${STATEMENT_MS / 1_000} seconds, and payments would wait for it. The migration was rolled back. Stop every service and worker, then apply it without time limits: ${ADMIN} database migrate --without-time-limits`,
        )
      if (!BUSY.includes(code)) throw error
      if (tries === TRIES_MAX)
        throw unfit(
          `Migration ${migration} could not lock its tables in ${counted(tries, 'attempt')}: ${await describeBlocker(client)} The migration was rolled back. Start again afterwards.`,
        )
      if (tries === 1)
        onProgress(
          `Migration ${migration} waits for a transaction that uses its tables. Requests are served meanwhile.`,
        )
      await sleep(Math.min(PAUSE_MAX_MS, PAUSE_MS * tries))
    }
  }
}

/**
 * Builds and drops indexes while others read and write. If a build was interrupted, PostgreSQL leaves an unusable index, which
 * is dropped first.
 */
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

/** Describes the oldest transaction of others, because it most likely holds the lock. */
async function describeBlocker(client: Tx): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(
    `select pid, application_name as name, extract(epoch from clock_timestamp() - xact_start)::int as seconds
     from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
     order by xact_start limit 1`,
  )
  const [oldest] = rows
  return oldest
    ? `the oldest transaction (${oldest.name || 'no name'}, process ${oldest.pid} of PostgreSQL) has been open for ${oldest.seconds} s. End it: select pg_terminate_backend(${oldest.pid}).`
    : 'each time other transactions held the locks.'
}
