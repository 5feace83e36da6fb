/** Restores a backup into an empty database. */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { RevocationList } from '../audit/revocations.ts'
import { type Act, noteFilled, RESTORE } from '../storage/audit/log.ts'
import { nameOfTable } from '../storage/backup/tables.ts'
import type { Db } from '../storage/db.ts'
import { MARKED_TABLES, markRestored } from '../storage/restores/restores.ts'
import { beginRestoring } from '../storage/restores/revoked.ts'
import { compareRows, findFaults } from './compare.ts'
import type { Progress } from './create.ts'
import { fill } from './fill.ts'
import type { BackupKey } from './key.ts'
import { checkManifest, fileOf, type Manifest, unfit } from './manifest.ts'
import { endAccess, type RevokedAccess } from './revoked.ts'
import { openFile } from './sealing.ts'

/** How far each sequence is advanced. It is more than a service can use between a backup and the loss of the database. */
const SKIPPED_NUMBERS = 1_000_000

/**
 * `at`: the current time. `settledPerHour`: see markRestored. `act`: what the audit log calls the restore. `keys`, `unsigned`: see
 * checkManifest.
 */
export type RestoreOptions = {
  at: Date
  settledPerHour: number
  act: Act
  keys: readonly BackupKey[]
  unsigned: boolean
  onProgress: Progress
}
/**
 * `revocations`: what was taken back since the backup; `null` if there is no list; absent in a trial, which leaves everything as it is in
 * the backup.
 */
type Access = { revocations?: RevocationList | null }
/** `revoked`: null after a trial. */
export type Restored = { manifest: Manifest; faults: string[]; revoked: RevokedAccess | null }

/**
 * Fills the database from the backup, reads every row again and compares it, and checks the sums of money.
 * @throws AppError validation_failed whose message says why nothing was restored
 */
export async function restoreBackup(
  db: Db,
  directory: string,
  { at, settledPerHour, act, onProgress, revocations, ...trust }: RestoreOptions & Access,
): Promise<Restored> {
  const { manifest, key } = await checkManifest(directory, trust)
  const salt = Buffer.from(manifest.sealing?.salt ?? '', 'base64')
  const entries = new Map(manifest.tables.map((entry) => [nameOfTable(entry), entry]))
  await fill(
    db,
    {
      skippedNumbers: SKIPPED_NUMBERS,
      facts: manifest,
      tables: manifest.tables,
      read(table) {
        const name = fileOf(table, key !== null)
        const file = join(directory, name)
        return readTable(file, key && openFile(key.ofFile(salt, name), file))
      },
      digestOf(table) {
        const entry = entries.get(nameOfTable(table))
        if (!entry) throw new Error(`Bug! ${nameOfTable(table)} is not in the manifest.`)
        return entry
      },
      async finish(tx) {
        const moments = { backupAt: new Date(manifest.createdAt), restoredAt: at }
        for (const world of manifest.worlds) await markRestored(tx, world, { ...moments, settledPerHour })
        await noteFilled(tx, act, RESTORE, moments)
        if (revocations !== undefined) await beginRestoring(tx, at)
      },
    },
    onProgress,
  )
  onProgress('Reading every row again')
  // The tables of the restore itself have new rows. The schema may be newer than the backup. So only the columns of the backup
  // are compared.
  await compareRows(
    db,
    manifest.tables.filter(({ name }) => !MARKED_TABLES.includes(name)),
  )
  const faults = await findFaults(db, manifest)
  const moments = { backupAt: new Date(manifest.createdAt), at, worlds: manifest.worlds, act }
  const revoked = revocations === undefined ? null : await endAccess(db, revocations, moments)
  return { manifest, faults, revoked }
}

/** `opening`: decrypts the file; null if it is not encrypted. */
function readTable(file: string, opening: Transform | null): Readable {
  const unpacked = createGunzip()
  const explain = (error: Error) => unpacked.destroy(unfit(`${file} cannot be read (${error.message}).`))
  const packed = createReadStream(file).on('error', explain)
  if (!opening) return packed.pipe(unpacked)
  return packed.pipe(opening.on('error', (error) => unpacked.destroy(error))).pipe(unpacked)
}
