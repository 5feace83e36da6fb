/** Tries a backup: restores it into a database of its own, and says what was found there. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../postgres/embedded.ts'
import { openDb } from '../storage/db.ts'
import type { Progress } from './create.ts'
import { type Restored, restoreBackup } from './restore.ts'

/**
 * `on`: the address of an empty database. Without it a PostgreSQL of our own is started for this alone, so the service's own
 * database server has no part in it.
 * @throws AppError validation_failed that says what is wrong with the backup
 */
export async function verifyBackup(
  directory: string,
  { on, onProgress }: { on: string | undefined; onProgress: Progress },
): Promise<Restored> {
  return on
    ? restoreInto(on, directory, onProgress)
    : onScratchServer((url) => restoreInto(url, directory, onProgress))
}

async function restoreInto(url: string, directory: string, onProgress: Progress): Promise<Restored> {
  const db = openDb(url, { world: 'sandbox' })
  try {
    return await restoreBackup(db, directory, onProgress)
  } finally {
    await db.end()
  }
}

async function onScratchServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-verify-'))
  try {
    // PostgreSQL does not run as root. The account that runs it for root must be able to enter the directory.
    await chmod(dataDir, 0o711)
    const server = await startEmbedded({ dataDir, settings: { fsync: 'off', synchronous_commit: 'off' } })
    return await work(server.url).finally(() => server.stop())
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}
