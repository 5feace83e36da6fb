import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { call, createSession } from './testing/calls.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './testing/database.ts'
import { type Kassa, type KassaProcess, openShop, spawnKassa, startKassa } from './testing/harness.ts'
import { startProcess } from './testing/processes/child-process.ts'
import { serveHere } from './testing/serve-here.ts'

const ENTRY = fileURLToPath(new URL('./main.ts', import.meta.url))
const run = promisify(execFile)

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-start-'))
  await chmod(folder, 0o755)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('a start that fails', () => {
  /** Returns the lines that the start prints. */
  async function startAndFail(settings: Record<string, string>): Promise<string[]> {
    const error: unknown = await serveHere(settings).catch((thrown: unknown) => thrown)
    const [title, ...lines] = error instanceof Error ? error.message.split('\n') : []
    expect(title).toBe('Kassa did not start:')
    return lines
  }

  test('because of wrong settings names every one of them at once and a misspelt one, and exits with an error', async () => {
    const wrong = {
      PORT: 'x',
      MODE: 'test',
      BASE_URL: 'kassa',
      SECRETS_KEY: 'short',
      EVENT_RETRY_DELAYS: '1,b',
      DEFAULT_PROVIDER: 'bank',
    }
    const misspelt = { ROUTE_A_DRIVR: 'sandbox', EVENT_RETRY_DELAY: '0' }
    const child = startProcess(ENTRY, { env: { ...wrong, ...misspelt } })
    let output = ''
    child.stderr.on('data', (text) => (output += text))
    expect(await once(child, 'close')).toEqual([1, null])
    for (const name of Object.keys(wrong)) expect(output).toContain(`${name}:`)
    expect(output).toContain('ROUTE_A_DRIVR is not a setting and has no effect. Did you mean ROUTE_A_DRIVER?')
    expect(output).not.toContain('    at ')
  })

  test('because of a port in use prints one line that names the port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    const lines = await startAndFail({ PORT: port, DATABASE_URL: inject('postgresUrl') })
    other.close()
    expect(lines).toEqual([expect.stringContaining(`Port ${port} is used`)])
  })

  test('because of an invalid data directory prints one line about it', async () => {
    const file = join(folder, 'a-file')
    await writeFile(file, '')
    expect(await startAndFail({ DATA_DIR: file })).toEqual([expect.stringContaining(file)])
  })

  test('because the database does not respond prints one line that names the setting to check', async () => {
    const lines = await startAndFail({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
    expect(lines).toEqual([expect.stringContaining('DATABASE_URL')])
  })
})

/** Returns null where the shell has found no curl. @throws the error of any other failure */
function withoutCurl(error: { code?: unknown }): null {
  if (error.code === 127) return null
  throw error
}

describe('a start', () => {
  let database: TestDatabase
  let settings: { DATABASE_URL: string; DATA_DIR: string; SEED_DEMO: string }
  beforeEach(async () => {
    database = await createTestDatabase(inject('postgresUrl'))
    settings = { DATABASE_URL: database.url, DATA_DIR: folder, SEED_DEMO: 'true' }
  })
  afterEach(() => database.drop())

  test('with a data directory that does not exist yet creates the directory, and warns about a misspelt setting', async () => {
    const DATA_DIR = join(folder, 'not/yet')
    const running = await serveHere({ ...settings, DATA_DIR, EVENT_RETRY_DELAY: '0' })
    expect(running.output()).toContain('Callback secret  whsec_')
    expect(running.output().match(/^Warning: .*$/gm)).toEqual([
      expect.stringMatching(/EVENT_RETRY_DELAY .* Did you mean EVENT_RETRY_DELAYS\?/),
    ])
    await running.stop()
  })

  test('on an empty directory prints what a newcomer needs, and a second start has the same demo', async () => {
    const first = await serveHere(settings)
    expect(first.output()).toContain('Callback secret  whsec_')
    const token = /ksk_sandbox_\w+/.exec(first.output())?.[0]
    const command = /curl -s \S+\/v1\/payment-sessions[\s\S]*?-d '[^']+'/.exec(first.output())?.[0] ?? ''
    expect(command).toContain(String(token))
    // A Debian without curl cannot run the command.
    const stdout = await run('bash', ['-c', command]).then(({ stdout }) => stdout, withoutCurl)
    if (stdout !== null) expect(JSON.parse(stdout)).toMatchObject({ ok: true, status: 'pending_redirect' })
    await first.stop()
    const second = await serveHere(settings)
    expect([token, second.output()]).toEqual([expect.any(String), expect.stringContaining(`${token}`)])
    expect((await call(`${second.url}/demo/api/shop`, { method: 'GET' })).body.publicKey).toMatch(/^kpk_/)
    await second.stop()
  })

  test('beside another service does not serve the demo shop while the other one runs', {
    tags: ['long'],
  }, async () => {
    const first = await serveHere(settings)
    const second = await serveHere(settings)
    const port = new URL(first.url).port
    expect(second.output()).toContain(
      `Another service on this database serves the demo shop: http://127.0.0.1:${port}`,
    )
    expect((await fetch(`${second.url}/demo/`)).status).toBe(404)
    await first.stop()
    await second.stop()
    const third = await serveHere(settings)
    expect((await fetch(third.url)).url).toBe(`${third.url}/demo/`)
    await third.stop()
  })

  test('names a configured route that does not work', { tags: ['long'] }, async () => {
    const running = await serveHere({ ...settings, ROUTE_A_DRIVER: 'strype' })
    expect(running.output()).toMatch(/NOT READY {8}route_a: There is no driver "strype".*503/)
    expect(running.output()).not.toContain('route_e')
    await running.stop()
  })

  test('on an empty database succeeds also while another service starts there', {
    tags: ['long'],
  }, async () => {
    const empty = await createEmptyDatabase(inject('postgresUrl'))
    const both = await Promise.all([1, 2].map(() => serveHere({ DATABASE_URL: empty.url })))
    for (const each of both)
      expect((await call(`${each.url}/api/health`, { method: 'GET' })).body.ready).toBe(true)
    await Promise.all(both.map((each) => each.stop()))
    await empty.drop()
  })
})

describe('a running process', () => {
  let kassa: Kassa
  let running: KassaProcess
  beforeAll(async () => {
    kassa = await startKassa()
    running = await spawnKassa({ DATABASE_URL: kassa.databaseUrl })
  })
  afterAll(async () => {
    await running.kill('SIGTERM')
    await kassa.close()
  })

  test('survives a restart of the database, and continues after it', async () => {
    const shop = await openShop(kassa.ctx)
    expect((await createSession(running.url, shop, { key: 'before' })).status).toBe(201)
    const cut =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    for (let round = 0; round < 5; round++) await kassa.ctx.db.query(cut).catch(() => {})
    await expect
      .poll(async () => (await createSession(running.url, shop, { key: 'after' })).status)
      .toBeLessThan(300)
    expect(running.child.exitCode).toBeNull()
  })

  test('on SIGTERM finishes the running requests and exits with 0', async () => {
    const shop = await openShop(kassa.ctx)
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
})
