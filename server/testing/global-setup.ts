/**
 * Runs once for all test files. Starts a real PostgreSQL and creates the migrated templates, from which the database of each test file
 * is copied. If DATABASE_URL is set, the tests create their databases on that server instead.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { isCurrent } from '../documents/sources.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { allowDatabases, runAsSuperuser } from '../postgres/role.ts'
import { makeTemplates, throughSocket } from './database.ts'
import { buildPrograms } from './processes/build-programs.ts'
import { PROCESS_ENV } from './processes/child-process.ts'
import { endWithParent } from './processes/end-with-parent.ts'
import { programOf } from './processes/programs.ts'
import { keepInMemory } from './temporary-files.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the test server's maintenance database. */
    postgresUrl: string
  }
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const WARM_CACHE = fileURLToPath(new URL('./processes/warm-cache.ts', import.meta.url))
/**
 * This server may lose data in a crash, so it does not wait for the disk. Tests that kill a PostgreSQL start their own, with normal
 * settings.
 */
const SETTINGS = {
  max_connections: '300',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '128MB',
  // Some ten databases are in use at once, and each has a catalogue of its own.
  shared_buffers: '256MB',
  // No test database lives long enough to need it, and it would connect to each of hundreds.
  autovacuum: 'off',
  // This makes each connection 2 ms faster, and every test file opens many.
  scram_iterations: '1',
  // Else each connection plans a statement anew for its first five values. Most connections of a test send it less often.
  plan_cache_mode: 'force_generic_plan',
  // The kernel copies the files of a template.
  file_copy_method: 'clone',
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const removeFiles = keepInMemory()
  const [opened, warmed] = await Promise.allSettled([openServer(), warmUp()])
  if (opened.status === 'rejected') throw opened.reason
  const { url, asSuperuser, close } = opened.value
  try {
    if (warmed.status === 'rejected') throw warmed.reason
    await makeTemplates(url, asSuperuser)
  } catch (error) {
    // Vitest calls the returned function only if this one succeeds. Without this call the server would keep running after the
    // tests.
    await close()
    throw error
  }
  project.provide('postgresUrl', url)
  return async () => {
    await close()
    removeFiles()
  }
}

async function warmUp(): Promise<void> {
  // This is for the test processes themselves, which load the service from its sources.
  process.env.NODE_COMPILE_CACHE = PROCESS_ENV.NODE_COMPILE_CACHE
  const [isNew] = await Promise.all([buildPrograms(), buildDocuments()])
  if (isNew) await promisify(execFile)(process.execPath, [programOf(WARM_CACHE)], { env: PROCESS_ENV })
}

async function buildDocuments(): Promise<void> {
  if (isCurrent(ROOT, join(ROOT, '.dist/documents'))) return
  await promisify(execFile)(process.execPath, [join(ROOT, 'server/documents/build.ts')])
}

type TestServer = {
  url: string
  /** Runs statements in the database of this address. A server that was given has no superuser that we know. */
  asSuperuser?: (url: string, statements: string) => Promise<void>
  close(): Promise<void>
}

async function openServer(): Promise<TestServer> {
  const given = process.env.DATABASE_URL
  if (given) return { url: given, close: async () => {} }
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-test-'))
  await chmod(dataDir, 0o755)
  // A query over a Unix socket takes a quarter less CPU time than over TCP. PostgreSQL may run as another account.
  const sockets = join(dataDir, 'sockets')
  await mkdir(sockets)
  await chmod(sockets, 0o777)
  const embedded = await startEmbedded({
    dataDir,
    settings: { ...SETTINGS, unix_socket_directories: sockets },
  })
  const stopWatch = endWithParent(await readPostmasterPid(dataDir), { signal: 'INT' })
  await allowDatabases(dataDir, embedded.url)
  return {
    url: throughSocket(embedded.url, sockets),
    asSuperuser: (url, statements) => runAsSuperuser(dataDir, url, statements),
    async close() {
      await embedded.stop()
      stopWatch()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL is a session of its own, so that it stays when a service is killed. A test run that is killed must not leave it. */
async function readPostmasterPid(dataDir: string): Promise<number> {
  const [pid] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')
  return Number(pid)
}
