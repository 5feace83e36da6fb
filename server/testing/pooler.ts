/** Debian's pgbouncer in transaction mode before a test's database. Clients share its sessions. */
import { accessSync, constants } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './harness.ts'
import { endProcess, startProgram } from './processes/child-process.ts'

const READY_WITHIN_MS = 60_000
/** pgbouncer does not run as root. */
const NOBODY = 65_534

export const findPgbouncer = () => findProgram('pgbouncer')

/** Returns the path of a program, or null if it is not installed. Debian installs servers in folders that only root's PATH contains. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export type Pooler = { url: string; close(): Promise<void> }

/**
 * Starts a pooler that shares `connections` connections to the database among all its clients. `ignoring`: session settings
 * that it drops. It rejects a client that sends any other.
 */
export async function startPooler(
  program: string,
  databaseUrl: string,
  { connections, ignoring = [] }: { connections: number; ignoring?: string[] },
): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-pooler-'))
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl)
  const database = [
    `host=${hostname} port=${databasePort || 5432} dbname=${pathname.slice(1)}`,
    `user=${decodeURIComponent(username)} password='${decodeURIComponent(password).replaceAll("'", "''")}'`,
  ].join(' ')
  const settings = [
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
    'max_client_conn = 200',
    ...(ignoring.length > 0 ? [`ignore_startup_parameters = ${ignoring.join(',')}`] : []),
  ]
  await writeFile(file, `[databases]\nkassa = ${database}\n[pgbouncer]\n${settings.join('\n')}\n`)
  await Promise.all([chmod(folder, 0o755), chmod(file, 0o644)])
  const rights = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const child = startProgram(program, [file], { env: { PATH: process.env.PATH }, ...rights })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const deadline = performance.now() + READY_WITHIN_MS
  while (!(await isListening(port))) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`pgbouncer does not listen:\n${output}`)
    await sleep(50)
  }
  return {
    url: `postgres://kassa@127.0.0.1:${port}/kassa`,
    async close() {
      await endProcess(child, 'SIGTERM')
      await rm(folder, { recursive: true })
    },
  }
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
