/** Numbered SQL migrations, applied once, in order, under a lock. A file that has been applied is never edited. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import { AppError } from '../errors.ts'
import { connect, type Db, type Tx } from './db.ts'

const MIGRATIONS = new URL('./migrations/', import.meta.url)
const NAME = /^\d{4}_[a-z0-9_]+\.sql$/
/** Any constant will do; it is Kassa's own. The only advisory lock there is. */
const LOCK = 0x6b61737361
const OLDEST_VERSION_NUM = 150_000

/**
 * Brings the database to this build's schema, the job queue's included, and answers the names applied now.
 * Safe when several processes start at once: the others wait for the lock.
 * @throws AppError storage_unavailable when the server is older than 15, or an applied migration's text has changed since.
 */
export async function migrate(db: Db): Promise<string[]> {
  const client = await connect(db)
  try {
    await refuseOldServer(client)
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [LOCK])
    try {
      const applied = await applyPending(client)
      await runMigrations({ pgPool: db })
      return applied
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCK])
    }
  } finally {
    // Destroyed, not returned: its statement_timeout was changed.
    client.release(true)
  }
}

async function refuseOldServer(client: Tx): Promise<void> {
  const { rows } = await client.query<{ num: number; version: string }>(
    `select current_setting('server_version_num')::int as num, current_setting('server_version') as version`,
  )
  if (rows[0] && rows[0].num < OLDEST_VERSION_NUM)
    throw unfit(`DATABASE_URL names PostgreSQL ${rows[0].version}; Kassa needs 15 or newer.`)
}

async function applyPending(client: Tx): Promise<string[]> {
  await client.query(
    'create table if not exists migrations (name text primary key, digest text not null, applied_at timestamptz not null default current_timestamp)',
  )
  const { rows } = await client.query<{ name: string; digest: string }>('select name, digest from migrations')
  const known = new Map(rows.map((row) => [row.name, row.digest]))
  const applied: string[] = []
  for (const name of (await readdir(MIGRATIONS)).filter((file) => NAME.test(file)).sort()) {
    const text = await readFile(new URL(name, MIGRATIONS), 'utf8')
    const digest = createHash('sha256').update(text).digest('hex')
    if (known.get(name) === digest) continue
    if (known.has(name))
      throw unfit(
        `Migration ${name} was changed after it had been applied. Restore its text and add a new file.`,
      )
    await client.query('begin')
    try {
      await client.query(text)
      await client.query('insert into migrations (name, digest) values ($1, $2)', [name, digest])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
    applied.push(name)
  }
  return applied
}

/** A database that this build cannot work on, in one line that says what to do. */
function unfit(message: string): AppError {
  return new AppError('storage_unavailable', { message })
}
