/** Verifies a backup by restoring it into another database. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { type EmbeddedPostgres, startEmbedded } from '../postgres/embedded.ts'
import { EmbeddedError } from '../postgres/error.ts'
import { openDb } from '../storage/db.ts'
import { type Restored, type RestoreOptions, restoreBackup } from './restore.ts'

/**
 * `on`: the address of an empty database. Without it a temporary PostgreSQL is started, so the service's database server is not
 * used.
 * @throws AppError validation_failed whose message says what is wrong with the backup; storage_unavailable if no temporary PostgreSQL
 *   can be started
 */
export async function verifyBackup(
  directory: string,
  { on, ...options }: RestoreOptions & { on: string | undefined },
): Promise<Restored> {
  return on
    ? restoreInto(on, directory, options)
    : onTemporaryServer(directory, (url) => restoreInto(url, directory, options))
}

async function restoreInto(url: string, directory: string, options: RestoreOptions): Promise<Restored> {
  const db = openDb(url, { world: 'sandbox' })
  try {
    return await restoreBackup(db, directory, options)
  } finally {
    await db.end()
  }
}

async function onTemporaryServer<T>(directory: string, work: (url: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-verify-'))
  try {
    // PostgreSQL does not run as root. The account that runs it for root must be able to enter the directory.
    await chmod(dataDir, 0o711)
    const server = await startTemporary(directory, dataDir)
    return await work(server.url).finally(() => server.stop())
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The service's own database may work, so the remedy for a service without a database would not help here. */
async function startTemporary(directory: string, dataDir: string): Promise<EmbeddedPostgres> {
  try {
    return await startEmbedded({ dataDir, settings: { fsync: 'off', synchronous_commit: 'off' } })
  } catch (error) {
    if (!(error instanceof EmbeddedError)) throw error
    throw new AppError('storage_unavailable', {
      message: `No temporary PostgreSQL can be started to restore the backup into. ${error.problem}.`,
      next: [{ act: 'verify_elsewhere', directory }],
      cause: error,
    })
  }
}
