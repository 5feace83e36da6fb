/** The ledger of applied migrations. It also tells which versions of Kassa may work on the database. */
import { AppError } from '../../errors.ts'
import { counted } from '../../messages/counted.ts'
import type { Queryable } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import {
  isOlder,
  type MigrationFile,
  type Release,
  readMigrations,
  type Schema,
  SHARED,
  THIS_RELEASE,
} from './files.ts'

export const LEDGER = `
  create schema if not exists kassa;
  create table if not exists kassa.migrations (
    schema text not null,
    name text not null,
    digest text not null,
    -- the oldest version of Kassa that can work on a database with this migration
    oldest_version text not null,
    -- the version that has applied it
    applied_by text not null,
    applied_at timestamptz not null default current_timestamp,
    primary key (schema, name)
  )`

const FIELDS = fieldsOf('migrations', ['schema', 'name', 'digest', 'oldestVersion', 'appliedBy'])
type Entry = RecordOf<'migrations', typeof FIELDS, { schema: Schema }>

const COLUMNS = selected(FIELDS)

/** Returns the applied migrations in their order. A database without Kassa has none. */
export async function readLedger(db: Pick<Queryable, 'query'>): Promise<Entry[]> {
  const { rows } = await db.query<{ found: boolean }>(
    `select to_regclass('kassa.migrations') is not null as found`,
  )
  if (!rows[0]?.found) return []
  const entries = await db.query<Entry>(
    `select ${COLUMNS}
     from kassa.migrations order by schema, name`,
  )
  return entries.rows
}

/**
 * Returns whether the database has tables of Kassa, and how many migrations of this release are missing. Changes nothing.
 * @throws AppError storage_unavailable if this release cannot work on the database
 */
export async function judgeSchema(
  db: Pick<Queryable, 'query'>,
  worlds: readonly Schema[],
): Promise<{ isEmpty: boolean; missing: number }> {
  const entries = await readLedger(db)
  refuseNewerSchema(entries, THIS_RELEASE)
  const pending = await listPending(entries, worlds, THIS_RELEASE)
  return { isEmpty: entries.length === 0, missing: pending.flatMap(({ files }) => files).length }
}

/** Returns the newer version that has upgraded the database, so that this one has gone back since; null if there is none. */
export async function findNewerVersion(
  db: Pick<Queryable, 'query'>,
  release: Release = THIS_RELEASE,
): Promise<string | null> {
  const entries = await readLedger(db)
  const own = new Set<string>()
  for (const schema of new Set(entries.map((entry) => entry.schema)))
    for (const { name } of await readMigrations(schema, release)) own.add(`${schema}/${name}`)
  return entries.findLast(({ schema, name }) => !own.has(`${schema}/${name}`))?.appliedBy ?? null
}

export async function noteMigration(
  db: Pick<Queryable, 'query'>,
  schema: Schema,
  { name, digest, oldestVersion }: MigrationFile,
  { version }: Release,
): Promise<void> {
  await db.query(
    'insert into kassa.migrations (schema, name, digest, oldest_version, applied_by) values ($1, $2, $3, $4, $5)',
    [schema, name, digest, oldestVersion, version],
  )
}

/** @throws AppError storage_unavailable if a newer version has changed the database so that this version cannot work on it */
export function refuseNewerSchema(entries: readonly Entry[], { version }: Release): void {
  const beyond = entries.filter(({ oldestVersion }) => isOlder(version, oldestVersion))
  const last = beyond.toSorted((one, other) => (isOlder(one.oldestVersion, other.oldestVersion) ? 1 : -1))[0]
  if (last)
    throw unfit(
      `Kassa ${last.appliedBy} has upgraded this database (${last.schema}/${last.name}), and this is Kassa ${version}. ` +
        `Start Kassa ${last.oldestVersion} or newer, or restore a backup from before the upgrade into an empty database.`,
    )
}

/** The files of a schema that are not applied yet. */
export type Pending = { schema: Schema; files: MigrationFile[] }

/**
 * Returns what this release lacks in each schema, in the order in which it is applied.
 * @throws AppError storage_unavailable if an applied file was changed afterwards
 */
export function listPending(
  entries: readonly Entry[],
  worlds: readonly Schema[],
  release: Release,
): Promise<Pending[]> {
  const schemas = [...new Set<Schema>([SHARED, ...worlds])]
  return Promise.all(
    schemas.map(async (schema) => ({
      schema,
      files: withoutApplied(await readMigrations(schema, release), entries, schema),
    })),
  )
}

/** @throws AppError storage_unavailable, because a command neither upgrades a database nor adds a world to it */
export function refuseUpgrade(
  entries: readonly Entry[],
  pending: readonly Pending[],
  { version }: Release,
): never {
  const added = pending.find(({ schema }) => entries.every((entry) => entry.schema !== schema))
  if (added)
    throw unfit(
      `This database has no ${added.schema} world yet, and this command adds none. Nothing was changed. Start the service with MODE=${added.schema} first, or run the command without this MODE.`,
    )
  const missing = counted(pending.flatMap(({ files }) => files).length, 'migration')
  throw new AppError('storage_unavailable', {
    message: `An older version has made this database: it lacks ${missing} of Kassa ${version}. This command upgrades nothing, and nothing was changed.`,
    hint: `If the older version serves there, use its own commands. A start of Kassa ${version} upgrades the database.`,
    next: [{ act: 'plan_upgrade' }, { act: 'upgrade_database' }],
  })
}

function withoutApplied(
  files: readonly MigrationFile[],
  entries: readonly Entry[],
  schema: Schema,
): MigrationFile[] {
  const known = new Map(
    entries.filter((each) => each.schema === schema).map(({ name, digest }) => [name, digest]),
  )
  for (const { name, digest } of files)
    if (known.has(name) && known.get(name) !== digest)
      throw unfit(
        `Migration ${schema}/${name} was changed after it had been applied. Restore its text and add a new file.`,
      )
  return files.filter(({ name }) => !known.has(name))
}

/** Returns the error for a database that this build cannot work on. `message`: one line that says what to do. */
export function unfit(message: string): AppError {
  return new AppError('storage_unavailable', { message })
}
