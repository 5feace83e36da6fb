/** Writes a backup: a directory with a file for each table and a manifest. */
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { counted } from '../messages/counted.ts'
import type { Db } from '../storage/db.ts'
import { RowDigest } from './compare.ts'
import type { BackupKey } from './key.ts'
import {
  fileOf,
  MANIFEST,
  type Manifest,
  METHOD,
  PUBLIC_KEY,
  SIGNATURE,
  type TableEntry,
  unfit,
} from './manifest.ts'
import { sealFile } from './sealing.ts'
import { withSnapshot } from './snapshot.ts'

/** Most of a backup is random ids. A higher level would not make them smaller. */
const GZIP_LEVEL = 3
const SALT_BYTES = 32

export type Progress = (line: string) => void
export type Created = { directory: string; manifest: Manifest }
/** `key`: encrypts and signs the backup; null if it is neither. */
type CreateOptions = { version: string; at: Date; key: BackupKey | null; onProgress: Progress }

/**
 * Backs up the whole database while the service runs. The directory's name ends in `.partial` until the backup is complete. `at`:
 * the current time of the caller's clock.
 * @throws AppError validation_failed if the directory exists or cannot be created, or if its disk is full
 */
export async function createBackup(
  db: Db,
  { directory, ...options }: CreateOptions & { directory: string },
): Promise<Created> {
  const partial = `${directory}.partial`
  try {
    await rm(partial, { recursive: true, force: true })
    await mkdir(partial, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unfit(explainRefusal(partial, (error as NodeJS.ErrnoException).code))
  }
  const manifest = await writeTables(db, partial, options).catch(async (error) => {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
    await rm(partial, { recursive: true, force: true })
    throw unfit(
      `The disk of ${directory} is full, so the backup could not be completed, and its files were removed. Nothing else was changed. Free some space, or choose a directory on another disk.`,
    )
  })
  await rename(partial, directory).catch(() => {
    throw unfit(`${directory} exists already. Choose another directory. The new backup is in ${partial}.`)
  })
  await syncDirectory(join(directory, '..'))
  return { directory, manifest }
}

/** On a machine with systemd root runs the command, and the command changes to the user of the service. */
function explainRefusal(partial: string, code = ''): string {
  const user = nameUser()
  const choose = `${partial} cannot be created (${code}). Choose a directory that the user ${user} may write to`
  return code === 'EACCES'
    ? `${choose}, or create it as root: install -d -o ${user} -m 0700 ${dirname(partial)}`
    : `${choose}.`
}

/** In a container the user's account may have no name. */
function nameUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}

async function writeTables(
  db: Db,
  partial: string,
  { version, at, key, onProgress }: CreateOptions,
): Promise<Manifest> {
  const salt = randomBytes(SALT_BYTES)
  const manifest = await withSnapshot(db, async ({ facts, tables, read }): Promise<Manifest> => {
    const entries: TableEntry[] = []
    for (const [index, table] of tables.entries()) {
      const digest = new RowDigest()
      const name = fileOf(table, key !== null)
      const file = createWriteStream(join(partial, name), { mode: 0o600, flush: true })
      const sealing = key ? [sealFile(key.ofFile(salt, name))] : []
      await pipeline([read(table), digest, createGzip({ level: GZIP_LEVEL }), ...sealing, file])
      entries.push({ ...table, ...digest.result() })
      onProgress(
        `${index + 1} of ${tables.length}: ${table.schema}.${table.name}, ${counted(digest.result().rows, 'row')}`,
      )
    }
    const sealing = key && ({ method: METHOD, keyId: key.id, salt: salt.toString('base64') } as const)
    const made = { format: 1, version, createdAt: at.toISOString() } as const
    return { ...made, ...facts, tables: entries, ...(sealing && { sealing }) }
  })
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  const files = {
    ...(key && { [SIGNATURE]: key.sign(bytes), [PUBLIC_KEY]: key.publicKey }),
    [MANIFEST]: bytes,
  }
  for (const [name, content] of Object.entries(files))
    await writeFile(join(partial, name), content, { mode: 0o600, flush: true })
  return manifest
}

/** Without this a power failure could undo the renaming of the directory. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  await handle.sync().finally(() => handle.close())
}
