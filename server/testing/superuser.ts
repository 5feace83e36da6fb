/** The PostgreSQL of the tests, and its superuser, for what the role of the service may not do. */
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { startEmbedded } from '../postgres/embedded.ts'
import { allowDatabases, runAsSuperuser } from '../postgres/role.ts'
import { makeTemplates, throughSocket } from './database.ts'
import { endWithParent } from './processes/end-with-parent.ts'

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

export type TestServer = {
  /** The address of its maintenance database. */
  url: string
  dataDir: string
  /** Runs statements in the database of this address. */
  asSuperuser(url: string, statements: string): Promise<void>
  close(): Promise<void>
}

export async function startTestServer(): Promise<TestServer> {
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
    dataDir,
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

/** Returns the server of all tests with its superuser. If the tests were given one, whose superuser nobody knows, another one starts. */
export async function openOwnedServer(): Promise<TestServer> {
  const [url, dataDir] = [inject('postgresUrl'), inject('postgresFolder')]
  if (dataDir !== '')
    return {
      url,
      dataDir,
      asSuperuser: (at, statements) => runAsSuperuser(dataDir, at, statements),
      close: async () => {},
    }
  const server = await startTestServer()
  await makeTemplates(server.url, server.asSuperuser)
  return server
}
