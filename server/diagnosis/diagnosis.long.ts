/**
 * `service doctor` in a process of its own, beside a real PostgreSQL: an embedded one that was killed, of another version or without
 * permission, a standby, one whose disk is full, and one that hangs. It prints what the doctor said and how long it took.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { preparePlace, type ServerPlace } from '../postgres/place.ts'
import { runProgram } from '../postgres/program.ts'
import { openDb } from '../storage/db.ts'
import { freePort, SECRETS_KEY, spawnKassa } from '../testing/harness.ts'
import { endProcess, startProgram, type TestProcess } from '../testing/processes/child-process.ts'
import { programOf } from '../testing/processes/programs.ts'
import type { Finding } from './finding.ts'

const ENTRY = fileURLToPath(new URL('../admin.ts', import.meta.url))
const BIN = '/usr/lib/postgresql/15/bin'
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
/** A busy machine takes seconds to start the process alone. */
const LONGEST_MS = 25_000

/** The machine may be busy. */
const PATIENCE = { timeout: 120_000 }

const run = promisify(execFile)
const output: string[] = []
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-doctor-'))
  await chmod(folder, 0o755)
})
afterAll(async () => {
  console.log(output.join('\n'))
  await rm(folder, { recursive: true, force: true })
})

/** Runs the doctor. Returns what is bad. `rights`: the user that runs it. */
async function examine(
  about: string,
  settings: Record<string, string>,
  rights: { uid?: number; gid?: number } = {},
): Promise<Finding[]> {
  const started = performance.now()
  const env = { PATH: process.env.PATH, MODE: 'sandbox', SECRETS_KEY, ...settings }
  const child = startProgram(process.execPath, [programOf(ENTRY), 'service', 'doctor', '--json'], {
    env,
    ...rights,
  })
  let text = ''
  child.stdout.on('data', (chunk) => (text += chunk))
  child.stderr.on('data', (chunk) => (text += chunk))
  const [code] = await once(child, 'close')
  const ms = performance.now() - started
  const findings = (JSON.parse(text) as { findings: Finding[] }).findings
  const bad = findings.filter(({ state }) => state === 'bad')
  for (const { about: part, message, next } of bad)
    output.push(`${about} (${(ms / 1000).toFixed(1)} s): ${part}: ${message} -> ${next}`)
  expect(ms).toBeLessThan(LONGEST_MS)
  expect(code).toBe(bad.length > 0 ? 1 : 0)
  return bad
}

const database = (message: RegExp, next: RegExp, about = 'Database') =>
  expect.objectContaining({
    about,
    message: expect.stringMatching(message),
    next: expect.stringMatching(next),
  })

describe('the embedded PostgreSQL', () => {
  let dataDir: string
  const settings = async () => ({ DATA_DIR: dataDir, PORT: String(await freePort()) })
  beforeAll(async () => {
    dataDir = join(folder, 'embedded')
    const kassa = await spawnKassa({ DATA_DIR: dataDir })
    const running = { DATA_DIR: dataDir, PORT: new URL(kassa.url).port }
    expect(await examine('the service runs', running)).toEqual([])
    const [pid = ''] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')
    kassa.child.kill('SIGSTOP')
    expect(await examine('the service hangs', running)).toEqual([
      database(/does not answer within 3 seconds, so it hangs/, /./, 'Service'),
    ])
    await kassa.kill('SIGKILL')
    expect(await examine('the service was killed, its PostgreSQL runs', running)).toEqual([
      database(/no process answers/, /./, 'Service'),
    ])
    process.kill(Number(pid), 'SIGKILL')
    await vi.waitUntil(() => !existsSync(`/proc/${pid}`), PATIENCE)
  })

  test('was killed, and its lock names a dead process. The next start repairs it', async () => {
    expect(await examine('both were killed', await settings())).toContainEqual(
      database(/does not run\. Its lock names process \d+, which is no server any more/, /npm start/),
    )
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(true)
    const again = await spawnKassa({ DATA_DIR: dataDir })
    await again.kill('SIGTERM')
    expect(await examine('stopped', await settings())).toContainEqual(
      database(/does not run, because the service does not/, /npm start/),
    )
  })

  test('is of another version', async () => {
    const file = join(dataDir, 'postgres/PG_VERSION')
    const found = await readFile(file, 'utf8')
    await writeFile(file, '15\n')
    expect(await examine('another version', await settings())).toContainEqual(
      database(/is of PostgreSQL 15, and this version of Kassa contains PostgreSQL \d+/, /./),
    )
    await writeFile(file, found)
  })

  test.skipIf(!isRoot)('is in a directory without permission', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed, { mode: 0o700 })
    const rights = { uid: NOBODY, gid: NOBODY }
    const bad = await examine('no permission', { DATA_DIR: closed, PORT: String(await freePort()) }, rights)
    expect(bad).toContainEqual(database(/may not read and write .*closed/, /^ls -ld /, 'Data directory'))
  })
})

if (!existsSync(BIN)) console.error('Skipped the doctor beside PostgreSQL 15, because it is not installed.')

type Server = { url: string; data: string; child: TestProcess }

async function startServer(place: ServerPlace, data: string, options: string[] = []): Promise<Server> {
  const port = String(await freePort())
  const { account } = place
  const child = startProgram(
    join(BIN, 'postgres'),
    [
      '-D',
      data,
      '-p',
      port,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      ...options,
    ],
    { env: {}, ...(account && { uid: account.uid, gid: account.gid }) },
  )
  const url = `postgres://kassa@127.0.0.1:${port}/postgres`
  const isUp = async () => {
    const db = openDb(url, { world: 'sandbox', max: 1 })
    return db
      .query('select')
      .then(
        () => true,
        () => false,
      )
      .finally(() => db.end())
  }
  await vi.waitUntil(isUp, PATIENCE)
  return { url, data, child }
}

async function ownFolder(path: string): Promise<ServerPlace> {
  const place = await preparePlace(path)
  if (place.account) await chown(path, place.account.uid, place.account.gid)
  return place
}

async function makeServer(place: ServerPlace): Promise<Server> {
  const data = join(place.dataDir, 'server')
  const made = await runProgram(
    join(BIN, 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'kassa', '-E', 'UTF8', '--locale=C.UTF-8', '--wal-segsize=1'],
    place,
  )
  if (made.code !== 0) throw new Error(made.output)
  return startServer(place, data)
}

describe.skipIf(!existsSync(BIN))('a PostgreSQL of one’s own', () => {
  test('a standby', async () => {
    const place = await ownFolder(join(folder))
    const primary = await makeServer(place)
    const kassa = await spawnKassa({ DATABASE_URL: primary.url })
    const { port } = new URL(kassa.url)
    const copy = join(place.dataDir, 'standby')
    const address = `host=127.0.0.1 port=${new URL(primary.url).port} user=kassa`
    const made = await runProgram(
      join(BIN, 'pg_basebackup'),
      ['-D', copy, '-R', '-c', 'fast', '-d', address],
      place,
    )
    expect(made.output).toBe('')
    const standby = await startServer(place, copy)
    expect(await examine('a standby', { DATABASE_URL: standby.url, PORT: port })).toEqual([
      database(/a standby, which only copies another server/, /^DATABASE_URL=/),
    ])
    await endProcess(standby.child, 'SIGINT')
    primary.child.kill('SIGSTOP')
    const pids = (await run('pgrep', ['-P', String(primary.child.pid)])).stdout.trim().split('\n')
    for (const pid of pids) process.kill(Number(pid), 'SIGSTOP')
    expect(await examine('PostgreSQL hangs', { DATABASE_URL: primary.url, PORT: port })).toContainEqual(
      database(/does not answer in time/, /^journalctl --unit 'postgresql/),
    )
    for (const pid of [...pids, primary.child.pid]) process.kill(Number(pid), 'SIGCONT')
    await kassa.kill('SIGKILL')
    await endProcess(primary.child, 'SIGINT')
  })

  test.skipIf(!isRoot)('a full disk', async () => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    await run('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'kassa-test', disk])
    const place = await ownFolder(disk)
    const server = await makeServer(place)
    const kassa = await spawnKassa({ DATABASE_URL: server.url })
    const settings = { DATABASE_URL: server.url, PORT: new URL(kassa.url).port }
    try {
      expect(await examine('the disk has room', settings)).toEqual([])
      await run('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=64k']).catch(() => null)
      expect(await examine('the disk of PostgreSQL is full', settings)).toContainEqual(
        database(/the disk of PostgreSQL is full/, /^df -h$/),
      )
    } finally {
      await kassa.kill('SIGKILL')
      await endProcess(server.child, 'SIGKILL')
      await vi.waitUntil(
        () =>
          run('umount', [disk]).then(
            () => true,
            () => false,
          ),
        PATIENCE,
      )
    }
  })
})
