// The directory of the embedded PostgreSQL, and the system account that owns it.
//
//   <dataDir>/postgres             the cluster. The account that runs it owns it, with mode 0700.
//   <dataDir>/postgres.log         the postmaster's log, at most about 10 MB. Older lines are in postgres.log.1.
//   <dataDir>/postgres-bin-<v>     a copy of the programs, if the package's programs cannot run
//   <dataDir>/*.tmp-<pid>-<hex>    the staging directory of process <pid>. It is renamed when it is complete.

import { createHash, randomBytes } from 'node:crypto'
import { access, chmod, constants, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EmbeddedError, errorCode, explainFileError } from './error.ts'

/** An unprivileged account, because PostgreSQL refuses to run as root. */
export type Account = { name: string; uid: number; gid: number }

/** `account` is null if PostgreSQL can run as this process's own account. Paths are absolute, without symbolic links. */
export type ServerPlace = { dataDir: string; pgData: string; logFile: string; account: Account | null }

const STAGING = /\.tmp-(\d+)-[0-9a-f]+$/

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
/** The account that runs PostgreSQL for root often cannot enter root's own directories, but it can enter this one. */
const ROOTS_DATA = '/var/lib/kassa'

/**
 * Returns `.data` below the working directory. For root, returns a directory of this checkout only, because two checkouts on one
 * machine must not share their data. Its name is the checkout's folder and a hash of its path.
 */
export function defaultDataDir({ asRoot = isRoot(), checkout = CHECKOUT } = {}): string {
  if (!asRoot) return resolve('.data')
  const folder = basename(checkout).replaceAll(/[^\w.-]/g, '_')
  const hash = createHash('sha256').update(resolve(checkout)).digest('hex').slice(0, 8)
  return join(ROOTS_DATA, `${folder}-${hash}`)
}

/**
 * Version 0.1 kept root's data in the folder above. Returns that folder if it has a file or directory `name`, and `dataDir`
 * does not exist yet.
 */
export async function findEarlierData(
  name: 'postgres' | 'secrets-key',
  dataDir: string,
  top = ROOTS_DATA,
): Promise<string | null> {
  if (dirname(dataDir) !== top) return null
  const exists = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    )
  return (await exists(join(top, name))) && !(await exists(dataDir)) ? top : null
}

/** Returns whether the data directory has a database. Root's data may belong to an account that nobody else may look into. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await stat(join(resolve(dataDir), 'postgres')).catch(() => null)) !== null
}

/** Creates the data directory if it is missing, and finds the account that runs PostgreSQL in it. */
export async function preparePlace(dataDir: string): Promise<ServerPlace> {
  const dir = await makeDirectory(resolve(dataDir))
  const place = { dataDir: dir, pgData: join(dir, 'postgres'), logFile: join(dir, 'postgres.log') }
  const owner = await ownerOf(place.pgData)
  if (!isRoot()) {
    if (owner && owner.uid !== process.getuid?.()) throw ownedByAnother(place.pgData, owner.uid)
    return { ...place, account: null }
  }
  const account = await unprivilegedAccount(owner)
  if (owner?.uid === 0) {
    throw new EmbeddedError(
      `${place.pgData} belongs to root, which PostgreSQL refuses: run chown -R ${account.name} ${place.pgData}`,
    )
  }
  await assertEnterable(dir, account)
  return { ...place, account }
}

/** Returns a path for something incomplete, next to the path that it will be renamed to. */
export function stagingPath(path: string): string {
  return `${path}.tmp-${process.pid}-${randomBytes(4).toString('hex')}`
}

/** Removes the staging directories of killed processes. A failure does no harm: the next start tries again. */
export async function sweepStaging(place: ServerPlace): Promise<void> {
  for (const name of await readdir(place.dataDir)) {
    const pid = STAGING.exec(name)?.[1]
    if (pid && !isAlive(Number(pid))) await removeTree(join(place.dataDir, name))
  }
}

export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
}

/** Returns true for any existing process, also of another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

async function makeDirectory(dir: string): Promise<string> {
  try {
    const created = await mkdir(dir, { recursive: true })
    // The unprivileged account must be able to enter the directory, whatever the umask. It need not list it.
    if (created && isRoot()) for (const made of pathsBetween(created, dir)) await chmod(made, 0o711)
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK)
    return await realpath(dir)
  } catch (error) {
    throw explainFileError(error, dir)
  }
}

function pathsBetween(top: string, bottom: string): string[] {
  const steps = relative(top, bottom).split(sep).filter(Boolean)
  return [top, ...steps.map((_, index) => join(top, ...steps.slice(0, index + 1)))]
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number } | null> {
  try {
    return await stat(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw explainFileError(error, path)
  }
}

/** Returns the owner of an existing cluster. A new cluster belongs to `postgres`, or to `nobody` if there is no `postgres`. */
async function unprivilegedAccount(owner: { uid: number; gid: number } | null): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  const accounts = lines.map((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':')
    return { name, uid: Number(uid), gid: Number(gid) }
  })
  const byUid = accounts.find((account) => owner && owner.uid !== 0 && account.uid === owner.uid)
  const byName = (name: string) => accounts.find((account) => account.name === name && account.uid > 0)
  const found = byUid ?? byName('postgres') ?? byName('nobody')
  if (found) return found
  throw new EmbeddedError(
    'PostgreSQL refuses to run as root and there is no user postgres or nobody',
    ': start Kassa as an ordinary user, or set DATABASE_URL.',
  )
}

/** Checks the mode bits of every directory on the path, as the kernel would for that account. */
async function assertEnterable(dataDir: string, account: Account): Promise<void> {
  for (const dir of pathsBetween('/', dataDir)) {
    const { mode, uid, gid } = await stat(dir)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if (mode & bit) continue
    const remedy =
      dir === dataDir
        ? `run chmod o+x ${dir}`
        : `set DATA_DIR to a directory below ${ROOTS_DATA}, or start Kassa as an ordinary user`
    throw new EmbeddedError(
      `PostgreSQL refuses to run as root, and the user ${account.name} cannot enter ${dir} on the way to ${dataDir}: ${remedy}.`,
    )
  }
}

function ownedByAnother(path: string, uid: number): EmbeddedError {
  return new EmbeddedError(
    `${path} belongs to another user (uid ${uid}): start Kassa as that user, or set DATA_DIR to a directory of your own (now ${dirname(path)}).`,
  )
}
