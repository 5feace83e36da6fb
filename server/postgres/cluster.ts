// Creates the cluster, the directory that initdb fills once. initdb works in a staging directory, which is renamed when it
// is complete and has its password. So no process ever finds an incomplete cluster. If two processes create one at the same
// time, the first rename wins.

import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedError, errorCode, explainFileError, explainOutput } from './error.ts'
import { removeTree, type ServerPlace, stagingPath, sweepStaging } from './place.ts'
import { type Programs, runProgram } from './program.ts'

export const SUPERUSER = 'kassa'
const PASSWORD_FILE = 'kassa.password'

/** Creates the cluster if there is none, and checks that these programs can run it. */
export async function ensureCluster(
  place: ServerPlace,
  programs: Programs,
  onProgress: (line: string) => void,
): Promise<void> {
  await sweepStaging(place)
  const found = await clusterVersion(place)
  if (found === null) {
    onProgress(`Preparing a private PostgreSQL in ${place.pgData}`)
    await makeCluster(place, programs)
  } else if (found !== programs.major) {
    throw new EmbeddedError(
      `${place.pgData} was created by PostgreSQL ${found}, and this version of Kassa contains PostgreSQL ${programs.major}. Back the data up with the Kassa version that created it and restore it into a new DATA_DIR, or set DATABASE_URL to a PostgreSQL ${found} server with that data.`,
    )
  }
}

/** Returns the superuser's password, which was created with the cluster. */
export async function readPassword({ pgData }: Pick<ServerPlace, 'pgData'>): Promise<string> {
  const path = join(pgData, PASSWORD_FILE)
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw explainFileError(error, path)
    throw new EmbeddedError(
      `The password file ${path} is missing: restore it, or set DATA_DIR to a new directory.`,
    )
  }
}

async function clusterVersion({ pgData }: ServerPlace): Promise<string | null> {
  try {
    return (await readFile(join(pgData, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw explainFileError(error, pgData)
  }
  // An empty directory may be used. Anything else belongs to somebody else.
  const isFree = await rmdir(pgData).then(
    () => true,
    (error) => errorCode(error) === 'ENOENT',
  )
  // Another process may have created its cluster there in this moment.
  const version = isFree ? null : await readFile(join(pgData, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version !== undefined) return version?.trim() ?? null
  throw new EmbeddedError(
    `${pgData} is not a PostgreSQL data directory: move it away, or set DATA_DIR to another directory.`,
  )
}

async function makeCluster(place: ServerPlace, programs: Programs): Promise<void> {
  const staging = stagingPath(place.pgData)
  const cluster = join(staging, 'cluster')
  const passwordFile = join(staging, PASSWORD_FILE)
  try {
    await mkdir(staging, { mode: 0o700 })
    await writeFile(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
    if (place.account) {
      for (const path of [staging, passwordFile]) await chown(path, place.account.uid, place.account.gid)
    }
    const { code, output } = await runProgram(programs.initdb, initdbArguments(cluster, passwordFile), place)
    if (code !== 0) throw explainOutput(output, 'be prepared', place.dataDir)
    await rename(passwordFile, join(cluster, PASSWORD_FILE))
    await rename(cluster, place.pgData).catch((error) => {
      // Another process has created the cluster in the meantime. Use that one.
      if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
    })
  } catch (error) {
    throw explainFileError(error, place.dataDir)
  } finally {
    await removeTree(staging)
  }
}

/**
 * The locale is PostgreSQL's built-in C.UTF-8 (order by code point, case mapping by Unicode). It needs nothing from the
 * system, so every machine has it, and an upgrade of the system's libc cannot break an index.
 */
function initdbArguments(cluster: string, passwordFile: string): string[] {
  return [
    '--pgdata',
    cluster,
    '--username',
    SUPERUSER,
    '--pwfile',
    passwordFile,
    '--auth',
    'scram-sha-256',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
    '--locale-provider',
    'builtin',
    '--builtin-locale',
    'C.UTF-8',
    '--no-instructions',
  ]
}
