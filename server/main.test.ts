import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { call, createSession } from './testing/calls.ts'
import { createTestDatabase } from './testing/database.ts'
import { freePort, type Kassa, openShop, spawnKassa, startKassa } from './testing/harness.ts'
import { PROCESS_ENV, startProcess } from './testing/processes/child-process.ts'
import { programOf } from './testing/processes/programs.ts'

const ENTRY = fileURLToPath(new URL('./main.ts', import.meta.url))
const run = promisify(execFile)

/** Starts the service, which must end by itself. Returns its exit code and its output. */
async function startAndFail(settings: Record<string, string>): Promise<{ code: number; said: string }> {
  try {
    await run(process.execPath, [programOf(ENTRY)], { env: { ...PROCESS_ENV, ...settings }, timeout: 20_000 })
    return { code: 0, said: '' }
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string }
    return { code, said: stderr }
  }
}

describe('the start', () => {
  test('with a port in use prints one line that names the port, and exits with an error', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    const { code, said } = await startAndFail({ PORT: port, DATABASE_URL: inject('postgresUrl') })
    other.close()
    expect(code).toBe(1)
    expect(said.trim().split('\n')).toHaveLength(1)
    expect(said).toContain(`Port ${port} is used`)
  })

  test('with wrong settings names every one of them at once', async () => {
    const wrong = {
      PORT: 'x',
      MODE: 'test',
      BASE_URL: 'kassa',
      SECRETS_KEY: 'short',
      EVENT_RETRY_DELAYS: '1,b',
      DEFAULT_PROVIDER: 'bank',
    }
    const { code, said } = await startAndFail(wrong)
    expect(code).toBe(1)
    for (const name of Object.keys(wrong)) expect(said).toContain(`${name}:`)
    expect(said).not.toContain('    at ')
  })

  test('in live mode without https and a secrets key prints what live mode needs', async () => {
    const { code, said } = await startAndFail({ MODE: 'live', ROUTE_A_DRIVER: 'sandbox' })
    expect(code).toBe(1)
    for (const name of ['BASE_URL', 'SECRETS_KEY', 'ROUTE_A_DRIVER']) expect(said).toContain(name)
  })

  test('with an invalid data directory prints one line about it', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'kassa-file-')), 'a-file')
    await writeFile(file, '')
    const { code, said } = await startAndFail({ PORT: String(await freePort()), DATA_DIR: file })
    expect(code).toBe(1)
    expect(said.trim().split('\n')).toHaveLength(1)
    expect(said).toContain(file)
  })

  test('with a database that does not respond names the setting to check', async () => {
    const { code, said } = await startAndFail({
      PORT: String(await freePort()),
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
    })
    expect(code).toBe(1)
    expect(said).toContain('DATABASE_URL')
    expect(said.trim().split('\n')).toHaveLength(1)
  })

  test('with a data directory that does not exist yet creates the directory, and warns about a misspelt setting', async () => {
    const database = await createTestDatabase(inject('postgresUrl'))
    const folder = await mkdtemp(join(tmpdir(), 'kassa-start-'))
    const running = await spawnKassa({
      ...{ DATABASE_URL: database.url, DATA_DIR: join(folder, 'not/yet'), SEED_DEMO: 'true' },
      EVENT_RETRY_DELAY: '0',
    })
    await expect.poll(() => running.output()).toContain('Callback secret  whsec_')
    expect(running.output().match(/^Warning: .*$/gm)).toEqual([
      expect.stringMatching(/EVENT_RETRY_DELAY .* Did you mean EVENT_RETRY_DELAYS\?/),
    ])
    await running.kill('SIGTERM')
    await rm(folder, { recursive: true })
    await database.drop()
  })

  test('that fails names a misspelt setting too', async () => {
    const misspelt = { ROUTE_A_DRIVR: 'sandbox', EVENT_RETRY_DELAY: '0', PORT: 'x' }
    const { said } = await startAndFail(misspelt)
    expect(said).toContain('ROUTE_A_DRIVR is not a setting and has no effect. Did you mean ROUTE_A_DRIVER?')
  })

  test('on an empty directory prints what a newcomer needs, and a second start has the same demo', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'kassa-start-'))
    await chmod(dataDir, 0o755)
    const settings = { DATA_DIR: dataDir, SEED_DEMO: 'true' }
    try {
      const first = await spawnKassa(settings)
      await expect.poll(() => first.output()).toContain('Callback secret  whsec_')
      const token = /ksk_sandbox_\w+/.exec(first.output())?.[0] ?? ''
      const command = /curl -s \S+\/v1\/payment-sessions[\s\S]*?-d '[^']+'/.exec(first.output())?.[0] ?? ''
      const { stdout } = await run('bash', ['-c', command])
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, status: 'pending_redirect' })
      await first.kill('SIGTERM')
      const second = await spawnKassa(settings)
      await expect.poll(() => second.output()).toContain(token)
      expect((await call(`${second.url}/demo/api/shop`, { method: 'GET' })).body.publicKey).toMatch(/^kpk_/)
      await second.kill('SIGTERM')
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

describe('the stop', () => {
  let kassa: Kassa
  beforeAll(async () => {
    kassa = await startKassa()
  })
  afterAll(() => kassa.close())

  test('on SIGTERM finishes the running requests and exits with 0', async () => {
    const shop = await openShop(kassa.ctx)
    const running = await spawnKassa({ DATABASE_URL: kassa.databaseUrl })
    const answers = Array.from({ length: 50 }, (_, index) =>
      createSession(running.url, shop, { key: `stop-${index}` }),
    )
    await Promise.race(answers)
    const ended = once(running.child, 'exit')
    running.child.kill('SIGTERM')
    const settled = await Promise.allSettled(answers)
    const statuses = settled.map((each) => (each.status === 'fulfilled' ? each.value.status : 'refused'))
    expect(new Set(statuses.filter((status) => status !== 'refused'))).toEqual(new Set([201]))
    expect(await ended).toEqual([0, null])
  })

  test('two services that start at once on an empty database both start', async () => {
    const { DATABASE_URL } = { DATABASE_URL: kassa.databaseUrl }
    await kassa.ctx.db.query('drop schema if exists kassa, sandbox, sandbox_jobs, live, live_jobs cascade')
    const both = await Promise.all([spawnKassa({ DATABASE_URL }), spawnKassa({ DATABASE_URL })])
    for (const each of both)
      expect((await call(`${each.url}/api/health`, { method: 'GET' })).body.ready).toBe(true)
    await Promise.all(both.map((each) => each.kill('SIGTERM')))
  })
})

test('a restart of the database ends no process, and the service continues after it', async () => {
  const kassa = await startKassa()
  const running = await spawnKassa({ DATABASE_URL: kassa.databaseUrl })
  try {
    const shop = await openShop(kassa.ctx)
    expect((await createSession(running.url, shop, { key: 'before' })).status).toBe(201)
    const cut =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    for (let round = 0; round < 5; round++) await kassa.ctx.db.query(cut).catch(() => {})
    await expect
      .poll(async () => (await createSession(running.url, shop, { key: 'after' })).status, {
        timeout: 10_000,
      })
      .toBeLessThan(300)
    expect(running.child.exitCode).toBeNull()
  } finally {
    await running.kill('SIGTERM')
    await kassa.close()
  }
})

/** Moments of a start that can be observed from outside. The first start creates the database cluster, the others use it. */
const MOMENTS: Record<string, (start: { said(): string; pidFile(): Promise<string> }) => Promise<boolean>> = {
  'while the cluster is made': async ({ said }) => said().includes('Preparing a private PostgreSQL'),
  'before the database is looked for': async () => true,
  'when the database has its pid file': async ({ pidFile }) => (await pidFile()) !== '',
  'when the database is ready': async ({ pidFile }) => /^ready/m.test(await pidFile()),
  'when the service is ready': async ({ said }) => said().includes('is ready after'),
}

test('a stop at any moment of the start leaves no database running', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-start-'))
  await chmod(dataDir, 0o755)
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()) }
  const pidFile = () => readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  for (const [moment, hasCome] of Object.entries(MOMENTS)) {
    let said = ''
    const child = startProcess(ENTRY, { env })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    const ended = once(child, 'exit')
    const seen = { said: () => said, pidFile }
    await expect.poll(() => hasCome(seen), { interval: 5, timeout: 20_000 }).toBe(true)
    child.kill('SIGTERM')
    const [code, signal] = await ended
    // Before the first line of code has run, Node ends like any program on SIGTERM.
    const end = signal === 'SIGTERM' ? signal : code
    expect([moment, end, await pidFile()]).toEqual([moment, signal === 'SIGTERM' ? signal : 0, ''])
  }
  await rm(dataDir, { recursive: true, force: true })
})

test('a second service does not serve the demo shop while the first one runs', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-start-'))
  const database = await createTestDatabase(inject('postgresUrl'))
  const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, SEED_DEMO: 'true' }
  const first = await spawnKassa(settings)
  const second = await spawnKassa(settings)
  const port = new URL(first.url).port
  expect(second.output()).toContain(
    `Another service on this database serves the demo shop: http://127.0.0.1:${port}`,
  )
  expect((await fetch(`${second.url}/demo/`)).status).toBe(404)
  await first.kill('SIGTERM')
  await second.kill('SIGTERM')
  const third = await spawnKassa(settings)
  expect((await fetch(third.url)).url).toBe(`${third.url}/demo/`)
  await third.kill('SIGTERM')
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

test('a configured route that does not work is named at the start; SIGINT stops the service, with exit code 0', async () => {
  const kassa = await startKassa()
  const running = await spawnKassa({ DATABASE_URL: kassa.databaseUrl, ROUTE_A_DRIVER: 'strype' })
  await expect.poll(() => running.output()).toMatch(/NOT READY {8}route_a: There is no driver "strype".*503/)
  expect(running.output()).not.toContain('route_e')
  const ended = once(running.child, 'exit')
  running.child.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  await kassa.close()
})
