/** What a comparison runs on: one PostgreSQL, and the checkouts of Kassa, each with a database and a merchant of its own. */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbedded } from '../postgres/embedded.ts'
import { allowDatabases } from '../postgres/role.ts'
import { type Db, openDb } from '../storage/db.ts'
import { KASSA_SETTINGS, type ServerProcess, startService } from './processes.ts'

const OWN_ROOT = join(import.meta.dirname, '../..')
/** The checkout that the bench is a part of. */
export const OWN = 'kassa'

/** `db`: its database, as the bench reads it. */
export type Checkout = {
  name: string
  root: string
  databaseUrl: string
  db: Db
  /** A merchant that the bench has created, and its token. */
  merchantId: string
  token: string
  start(settings?: Record<string, string>): Promise<ServerProcess>
  /** Runs a command of the checkout's command line, and returns what the pattern finds in its JSON. */
  admin(wanted: RegExp, ...words: string[]): Promise<string>
}

export type Scene = {
  db: Db
  postmasterPid: number
  checkouts: Checkout[]
  /** The environment of every process. */
  environment: Record<string, string>
  stack: AsyncDisposableStack
}

export async function openScene(stack: AsyncDisposableStack, against: string[]): Promise<Scene> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-bench-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  // As root, PostgreSQL runs as another user.
  await chmod(dataDir, 0o755)
  const { url, stop } = await startEmbedded({ dataDir })
  stack.defer(stop)
  await allowDatabases(dataDir, url)
  const postmaster = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  const open = (address: string) => {
    const db = openDb(address, { world: 'sandbox', max: 2 })
    stack.defer(() => db.end())
    return db
  }
  const environment = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const db = open(url)
  const checkouts: Checkout[] = []
  for (const root of [OWN_ROOT, ...against]) {
    const name = root === OWN_ROOT ? OWN : await nameOfBuild(root)
    await db.query(`create database "bench_${name}"`)
    const databaseUrl = Object.assign(new URL(url), { pathname: `/bench_${name}` }).href
    const own = { ...environment, DATABASE_URL: databaseUrl, DATA_DIR: join(dataDir, name) }
    const start = (settings = {}) => startService(root, { ...own, ...KASSA_SETTINGS, ...settings })
    const admin = (wanted: RegExp, ...words: string[]) => runAdmin(root, own, { wanted, words })
    const merchantId = await admin(/"(mer_\w+)"/, 'merchant', 'create', '--name', 'Bench')
    const token = await admin(/"(ksk_\w+)"/, 'token', 'issue', '--merchant', merchantId)
    checkouts.push({ name, root, databaseUrl, db: open(databaseUrl), merchantId, token, start, admin })
  }
  return { db, postmasterPid: Number.parseInt(postmaster, 10), checkouts, environment, stack }
}

/** Returns the short commit of a build, or the name of its directory. */
async function nameOfBuild(root: string): Promise<string> {
  const words = ['-C', root, 'rev-parse', '--short=8', 'HEAD']
  const found = await promisify(execFile)('git', words).catch(() => null)
  return found?.stdout.trim() || basename(root)
}

/** Uses the checkout's command line, because only that is the same in all versions. A command also migrates the database. */
async function runAdmin(
  root: string,
  environment: Record<string, string>,
  { wanted, words }: { wanted: RegExp; words: string[] },
): Promise<string> {
  const entry = join(root, 'server/admin.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [entry, ...words, '--json'], {
    cwd: root,
    env: environment,
  })
  const found = wanted.exec(stdout)?.[1]
  if (!found) throw new Error(`The command line printed nothing like ${wanted.source}: ${stdout}`)
  return found
}
