import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import {
  freePort,
  type Kassa,
  type KassaProcess,
  openShop,
  type Shop,
  spawnKassa,
  startKassa,
} from '../../testing/harness.ts'

const CREATIONS = 200
const AT_ONCE = 16

type Made = { key: string; id: string }

/** Keeps creating until it is cut off; answers what was acknowledged. Every key is tried once. */
async function createUntilCut(url: string, shop: Shop, round: number): Promise<Made[]> {
  const made: Made[] = []
  let next = 0
  const work = async () => {
    while (next < CREATIONS) {
      const key = `crash-${round}-${next++}`
      const answer = await createOnce(url, shop, key).catch(() => null)
      if (answer?.status === 201) made.push({ key, id: answer.body.id })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return made
}

function createOnce(url: string, shop: Shop, key: string) {
  return createSession(url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })
}

/** After the restart: what was acknowledged is there, a retry answers with it, and no order was made twice. */
async function expectNothingLost(url: string, shop: Shop, made: Made[], round: number): Promise<void> {
  for (const { key, id } of made) {
    expect((await lookUp(url, shop, id)).status).toBe(200)
    const again = await createOnce(url, shop, key)
    expect([key, again.status, again.body.id]).toEqual([key, 200, id])
  }
  const retried = await Promise.all(
    Array.from({ length: CREATIONS }, (_, index) => createOnce(url, shop, `crash-${round}-${index}`)),
  )
  expect(retried.map((answer) => answer.status).filter((status) => status !== 200 && status !== 201)).toEqual(
    [],
  )
  expect(new Set(retried.map((answer) => answer.body.id)).size).toBe(CREATIONS)
}

async function expectOneOrderEach(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const twice = await client.query(
      'select merchant_order_id from sandbox.payments group by 1 having count(*) > 1',
    )
    expect(twice.rows).toEqual([])
    const unfinished = await client.query(
      'select key from sandbox.idempotency_keys where lease_until is not null',
    )
    expect(unfinished.rows).toEqual([])
  } finally {
    await client.end()
  }
}

let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

test('kill -9 of the server in the middle of 200 creations loses nothing and doubles nothing', async () => {
  const settings = { DATABASE_URL: kassa.databaseUrl, PROCESS: 'web', IDEMPOTENCY_LEASE: '1' }
  for (let round = 0; round < 4; round++) {
    const process = await spawnKassa(settings)
    const creating = createUntilCut(process.url, shop, round)
    await sleep(randomInt(20, 150))
    await process.kill('SIGKILL')
    const made = await creating
    const restarted = await spawnKassa(settings)
    try {
      await sleep(1_100)
      await expectNothingLost(restarted.url, shop, made, round)
    } finally {
      await restarted.kill('SIGKILL')
    }
  }
  await expectOneOrderEach(kassa.databaseUrl)
}, 90_000)

test('a creation that its process left behind is finished without a retry', async () => {
  const settings = { DATABASE_URL: kassa.databaseUrl, IDEMPOTENCY_LEASE: '1' }
  const process = await spawnKassa({ ...settings, PROCESS: 'web' })
  const creating = createUntilCut(process.url, shop, 90)
  await sleep(60)
  await process.kill('SIGKILL')
  await creating
  // A kill rarely falls between the two statements; this is what it leaves when it does.
  await kassa.ctx.db.query(
    `with begun as (
    insert into sandbox.payments (merchant_id, id, merchant_order_id, provider, provider_reference, amount_minor, currency, expires_at, created_at, updated_at)
    values ($1, 'pay_left', 'left', 'route_a', 'left', 100, 'USD', $2, $3, $3) returning id)
    insert into sandbox.idempotency_keys (merchant_id, scope, key, fingerprint, payment_id, lease_until, created_at)
    select $1, 'POST /v1/payment-sessions', 'left', 'x', id, $3, $3 from begun`,
    [shop.merchantId, new Date(Date.now() + 3_600_000), new Date()],
  )
  const worker = await spawnKassa(settings)
  try {
    await expect
      .poll(async () => (await lookUp(worker.url, shop, 'pay_left')).body.status, { timeout: 10_000 })
      .toBe('pending_redirect')
    await expect
      .poll(
        () =>
          expectOneOrderEach(kassa.databaseUrl).then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true)
  } finally {
    await worker.kill('SIGKILL')
  }
}, 60_000)

/** Every process that has the data directory on its command line: Kassa's private PostgreSQL. */
async function killDatabase(dataDir: string): Promise<void> {
  const pidFile = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').catch(() =>
    readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'),
  )
  const postmaster = Number(pidFile.split('\n')[0])
  spawn('pkill', ['-9', '-P', String(postmaster)])
  process.kill(postmaster, 'SIGKILL')
}

test('kill -9 of everything, the database included, loses nothing that was acknowledged', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-crash-'))
  await chmod(dataDir, 0o755)
  const settings = {
    DATA_DIR: dataDir,
    SEED_DEMO: 'true',
    IDEMPOTENCY_LEASE: '1',
    PORT: String(await freePort()),
  }
  let running: KassaProcess | null = null
  try {
    running = await spawnKassa(settings)
    const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Shop
    const creating = createUntilCut(running.url, demo, 0)
    await sleep(150)
    await Promise.all([running.kill('SIGKILL'), killDatabase(dataDir)])
    const made = await creating
    expect(made.length).toBeGreaterThan(0)
    running = await spawnKassa(settings)
    await sleep(1_100)
    await expectNothingLost(running.url, demo, made, 0)
  } finally {
    await running?.kill('SIGTERM')
    await rm(dataDir, { recursive: true, force: true })
  }
}, 60_000)
