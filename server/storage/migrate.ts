/**
 * Numbered SQL migrations, applied once, in order, under a lock: first those of the shared schema, then those of each world.
 * A file that has been applied is never edited.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { type Db, inWorld, statement, type Tx, withoutTimeLimits } from './db.ts'

const MIGRATIONS = new URL('./migrations/', import.meta.url)
const NAME = /^\d{4}_[a-z0-9_]+\.sql$/
/** An arbitrary constant of Kassa's. This is the only advisory lock. */
const LOCK = 0x6b61737361
const OLDEST_VERSION_NUM = 150_000

/** The schema that both worlds share. */
export const SHARED = 'kassa'
type Schema = typeof SHARED | World

const liveWorld = statement<{ found: boolean }>(
  'find_live_world',
  `select to_regclass('live.payments') is not null as found`,
)

const LEDGER = `
  create schema if not exists kassa;
  create table if not exists kassa.migrations (
    schema text not null,
    name text not null,
    digest text not null,
    applied_at timestamptz not null default current_timestamp,
    primary key (schema, name)
  )`

/**
 * Brings the database to this build's schema for these worlds, the job queues included. Returns the names that were applied now.
 * Several processes may start at once: the others wait for the lock.
 * @throws AppError storage_unavailable when the server is older than 15, the database holds Kassa 0.1, or the text of an
 *   applied migration has changed since.
 */
export function migrate(db: Db, worlds: readonly World[]): Promise<string[]> {
  return withoutTimeLimits(db, async (client) => {
    await refuseOldServer(client)
    await client.query('select pg_advisory_lock($1)', [LOCK])
    try {
      await refuseFirstBuild(client)
      await client.query(LEDGER)
      const applied: string[] = []
      for (const schema of [SHARED, ...worlds] as const) {
        applied.push(...(await applyPending(client, schema)))
        if (schema !== SHARED) await runMigrations({ pgPool: db, schema: jobSchema(schema) })
      }
      return applied
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCK])
    }
  })
}

/** The schema of a world's job queue. */
export function jobSchema(world: World): string {
  return inWorld('world_jobs.', world).slice(0, -1)
}

/** Returns whether this database has ever served the live world. @throws AppError storage_unavailable */
export async function hasLiveWorld(db: Db): Promise<boolean> {
  return (await liveWorld(db, []))[0]?.found ?? false
}

async function refuseOldServer(client: Tx): Promise<void> {
  const { rows } = await client.query<{ num: number; version: string }>(
    `select current_setting('server_version_num')::int as num, current_setting('server_version') as version`,
  )
  if (rows[0] && rows[0].num < OLDEST_VERSION_NUM)
    throw unfit(`DATABASE_URL names PostgreSQL ${rows[0].version}; Kassa needs 15 or newer.`)
}

async function refuseFirstBuild(client: Tx): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('public.payments') is not null and to_regclass('public.idempotency_keys') is not null as found`,
  )
  if (rows[0]?.found)
    throw unfit(
      'This database holds tables of Kassa 0.1, which was a preview: this version cannot upgrade them, and has changed nothing. ' +
        'Give this version an empty database (another DATABASE_URL) or an empty folder (another DATA_DIR).',
    )
}

/**
 * Builds the schema as it was after exactly these migrations, for rows that were written with that schema. Runs in the caller's
 * transaction. The database must contain no data that is still needed, because everything in it is dropped.
 * @throws AppError storage_unavailable when this build does not have one of them
 */
export async function rebuild(
  tx: Tx,
  migrations: readonly { schema: string; name: string; digest: string }[],
): Promise<void> {
  const schemas = [SHARED, 'sandbox', 'live'] as const
  await tx.query(`drop schema if exists ${schemas.join(', ')} cascade`)
  await tx.query(LEDGER)
  for (const schema of schemas) {
    const wanted = migrations.filter((each) => each.schema === schema)
    if (wanted.length === 0) continue
    await tx.query(`create schema if not exists ${schema}`)
    const files = new Map((await readMigrations(schema)).map((file) => [file.name, file]))
    for (const { name, digest } of wanted.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const file = files.get(name)
      if (file?.digest !== digest)
        throw unfit(
          `The rows were written after the migration ${schema}/${name}, which this version does not have. Use the version that wrote them, or a newer one.`,
        )
      await apply(tx, schema, file)
    }
  }
}

type MigrationFile = { name: string; text: string; digest: string }

/** Returns this build's migrations of a schema, in their order. */
async function readMigrations(schema: Schema): Promise<MigrationFile[]> {
  const folder = new URL(schema === SHARED ? 'shared/' : 'world/', MIGRATIONS)
  const names = (await readdir(folder)).filter((file) => NAME.test(file)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, digest: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function apply(tx: Tx, schema: Schema, { name, text, digest }: MigrationFile): Promise<void> {
  await tx.query(schema === SHARED ? text : inWorld(text, schema))
  await tx.query('insert into kassa.migrations (schema, name, digest) values ($1, $2, $3)', [
    schema,
    name,
    digest,
  ])
}

async function applyPending(client: Tx, schema: Schema): Promise<string[]> {
  await client.query(`create schema if not exists ${schema}`)
  const { rows } = await client.query<{ name: string; digest: string }>(
    'select name, digest from kassa.migrations where schema = $1',
    [schema],
  )
  const known = new Map(rows.map((row) => [row.name, row.digest]))
  const applied: string[] = []
  for (const file of await readMigrations(schema)) {
    const { name } = file
    if (known.get(name) === file.digest) continue
    if (known.has(name))
      throw unfit(
        `Migration ${schema}/${name} was changed after it had been applied. Restore its text and add a new file.`,
      )
    await client.query('begin')
    try {
      await apply(client, schema, file)
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
    applied.push(`${schema}/${name}`)
  }
  return applied
}

/** Returns the error for a database that this build cannot use. Its message is one line and says what to do. */
function unfit(message: string): AppError {
  return new AppError('storage_unavailable', { message })
}
