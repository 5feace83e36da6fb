/** Plans an upgrade: which migrations it would apply, and what each of them does. */
import { type Db, withoutTimeLimits } from '../db.ts'
import { type Release, type Schema, THIS_RELEASE } from './files.ts'
import { listPending, readLedger, refuseNewerSchema } from './ledger.ts'
import { expectOwn } from './whose.ts'

/** `about`: what the migration does, in a sentence. */
export type PlannedMigration = {
  schema: Schema
  name: string
  about: string
  oldestVersion: string
  isConcurrent: boolean
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
    await expectOwn(client)
    const entries = await readLedger(client)
    refuseNewerSchema(entries, release)
    const pending = await listPending(entries, worlds, release)
    return pending.flatMap(({ schema, files }) =>
      files.map(({ name, about, oldestVersion, concurrent }) => ({
        schema,
        name,
        about,
        oldestVersion,
        isConcurrent: concurrent !== null,
      })),
    )
  })
}
