// Looks at the embedded PostgreSQL and changes nothing: it starts no server, and removes no file of a dead one.

import { readFile, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readPassword } from './cluster.ts'
import { errorCode, explainFileError } from './error.ts'
import { isPostmaster, parsePidFile } from './postmaster.ts'
import { shippedMajor } from './program.ts'
import { serviceUrl } from './role.ts'

/**
 * `stopped`: `lockedBy` is the process that the pid file names, although it is no server of this cluster. `version`: the cluster
 * belongs to another major version of PostgreSQL.
 */
export type EmbeddedState =
  | { state: 'missing' }
  | { state: 'stopped'; lockedBy: number | null }
  | { state: 'version'; found: string; contained: string | null }
  | { state: 'starting'; pid: number }
  | { state: 'running'; url: string }

/** @throws EmbeddedError if the directory cannot be read */
export async function lookAtEmbedded(dataDir: string): Promise<EmbeddedState> {
  const directory = await realpath(resolve(dataDir)).catch(() => resolve(dataDir))
  const pgData = join(directory, 'postgres')
  const found = await readText(join(pgData, 'PG_VERSION'))
  if (found === null) return { state: 'missing' }
  const file = parsePidFile((await readText(join(pgData, 'postmaster.pid'))) ?? '')
  if (!file || file.pgData !== pgData || !(await isPostmaster({ pgData }, file.pid))) {
    const contained = shippedMajor()
    return found === contained
      ? { state: 'stopped', lockedBy: file?.pid ?? null }
      : { state: 'version', found, contained }
  }
  if (file.status !== 'ready') return { state: 'starting', pid: file.pid }
  return { state: 'running', url: serviceUrl(await readPassword({ pgData }), file.port) }
}

async function readText(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw explainFileError(error, path)
  }
}
