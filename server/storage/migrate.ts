/**
 * Numbered SQL migrations, applied once, in order, under a lock: first those of the shared schema, then those of each world.
 * A file that has been applied is never edited. The version before keeps working while and after they are applied.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations } from 'graphile-worker'
import type { World } from '../contract/health.ts'
import { counted } from '../messages/counted.ts'
import { type Db, inWorld, statement, type Tx, withoutTimeLimits } from './db.ts'
import { type Applied, applyMigration, type Pace, textIn } from './upgrade/apply.ts'
import { type Release, readMigrations, SHARED, THIS_RELEASE } from './upgrade/files.ts'
import {
  LEDGER,
  listPending,
  noteMigration,
  readLedger,
  refuseNewerSchema,
  refuseUpgrade,
  unfit,
} from './upgrade/ledger.ts'
import { expectOwn } from './upgrade/whose.ts'

/** An arbitrary constant of Kassa's. The only other advisory lock is that of a move. */
const LOCK = 0x6b61737361
const LOCK_POLL_MS = 100
const OLDEST_VERSION_NUM = 150_000

const liveWorld = statement<{ found: boolean }>(
  'find_live_world',
  `select to_regclass('live.payments') is not null as found`,
)

const livePayments = statement<{ found: boolean }>(
  'find_live_payments',
  'select exists (select from live.payments) as found',
)

/**
 * `mayCreate`: see expectOwn. `mayUpgrade`: false for an operator's command, which may name the database of an older Kassa by mistake.
 */
type MigrateOptions = Pace & { release?: Release; mayCreate?: boolean; mayUpgrade?: boolean }

/**
 * Brings the database to this release's schema for these worlds, the job queues included. Returns what was applied now.
 * Several processes may start at once: the others wait for the lock.
 * @throws AppError storage_unavailable when the server is older than 15, the database holds Kassa 0.1 or is another program's, the text
 *   of an applied migration has changed since, or a newer version has changed the database so that this one cannot work on it.
 */
export function migrate(
  db: Db,
  worlds: readonly World[],
  { release = THIS_RELEASE, mayCreate, mayUpgrade = true, ...pace }: MigrateOptions = {},
): Promise<Applied[]> {
  return withoutTimeLimits(db, async (client) => {
    await refuseOldServer(client)
    await takeLock(client)
    try {
      await refuseFirstBuild(client)
      await expectOwn(client, { mayCreate })
      await client.query(LEDGER)
      const entries = await readLedger(client)
      refuseNewerSchema(entries, release)
      const isNew = entries.length === 0
      const pending = await listPending(entries, worlds, release)
      const missing = pending.flatMap(({ files }) => files).length
      if (!isNew && missing > 0) {
        if (!mayUpgrade) refuseUpgrade(entries, pending, release)
        pace.onProgress?.(`The database gets ${counted(missing, 'migration')} of Kassa ${release.version}.`)
      }
      const applied: Applied[] = []
      for (const { schema, files } of pending) {
        await client.query(`create schema if not exists ${schema}`)
        for (const file of files) applied.push(await applyMigration(client, { schema, file, release }, pace))
        if (schema !== SHARED && (isNew || mayUpgrade))
          await runMigrations({ pgPool: db, schema: jobSchema(schema) })
      }
      return applied
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCK])
    }
  })
}

/** Poll for the lock. A blocking wait holds a snapshot, and CREATE INDEX CONCURRENTLY would wait for that snapshot. */
async function takeLock(client: Tx): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      LOCK,
    ])
    if (rows[0]?.taken) return
    await sleep(LOCK_POLL_MS)
  }
}

/** The schema of a world's job queue. */
export function jobSchema(world: World): string {
  return inWorld('world_jobs.', world).slice(0, -1)
}

/** Returns whether this database has ever served the live world. @throws AppError storage_unavailable */
export async function hasLiveWorld(db: Db): Promise<boolean> {
  return (await liveWorld(db, []))[0]?.found ?? false
}

/** Returns whether there are payments with real money. The live world must exist. */
export async function hasLivePayments(db: Db): Promise<boolean> {
  return (await livePayments(db, []))[0]?.found ?? false
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
 * @throws AppError storage_unavailable when this release does not have one of them, or the database is another program's
 */
export async function rebuild(
  tx: Tx,
  migrations: readonly { schema: string; name: string; digest: string }[],
  release: Release = THIS_RELEASE,
): Promise<void> {
  const schemas = [SHARED, 'sandbox', 'live'] as const
  await expectOwn(tx)
  await tx.query(`drop schema if exists ${schemas.join(', ')} cascade`)
  await tx.query(LEDGER)
  for (const schema of schemas) {
    const wanted = migrations.filter((each) => each.schema === schema)
    if (wanted.length === 0) continue
    await tx.query(`create schema if not exists ${schema}`)
    const files = new Map((await readMigrations(schema, release)).map((file) => [file.name, file]))
    for (const { name, digest } of wanted.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const file = files.get(name)
      if (file?.digest !== digest)
        throw unfit(
          `The rows were written after the migration ${schema}/${name}, which this version does not have. Use the version that wrote them, or a newer one.`,
        )
      // The tables are empty and nobody uses them, so an index needs no care and can be built inside the transaction.
      await tx.query(
        textIn(schema, file.concurrent ? file.text.replaceAll(/ concurrently /gi, ' ') : file.text),
      )
      await noteMigration(tx, schema, file, release)
    }
  }
}
