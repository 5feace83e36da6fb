import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lookUp } from '../../testing/calls.ts'
import {
  freePort,
  type Kassa,
  type KassaProcess,
  openShop,
  type Shop,
  spawnKassa,
  startKassa,
} from '../../testing/harness.ts'
import { seededRandom } from '../../testing/random.ts'
import {
  createUntilKilled,
  expectNothingLost,
  expectOneOrderEach,
  surviveServerKills,
  untilAcknowledged,
} from './crash.suite.ts'

let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

/** `npm run test:long` runs more. */
test('kill -9 of the server during 80 creations loses no payment and creates none twice', async () => {
  await surviveServerKills(kassa, shop, { rounds: 1, creations: 80, random: seededRandom(3) })
})

test('the worker finishes a creation whose process died, without a retry', async () => {
  const settings = { DATABASE_URL: kassa.databaseUrl, ATTEMPT_LEASE: '4' }
  const process = await spawnKassa({ ...settings, PROCESS: 'web' })
  const creating = createUntilKilled(process.url, shop, { creations: 80, round: 90 })
  await untilAcknowledged(creating, 5)
  await process.kill('SIGKILL')
  await creating.ended
  // A kill rarely happens between the two statements, so insert the rows that such a kill leaves.
  await kassa.ctx.db.query(
    `with begun as (
    insert into sandbox.payments (merchant_id, id, merchant_order_id, amount_minor, currency, expires_at, created_at, updated_at)
    values ($1, 'pay_left', 'left', 100, 'USD', $2, $3, $3) returning id), opening as (
    insert into sandbox.attempts (merchant_id, payment_id, number, provider, account_id, reference, state, expires_at, created_at,
      lease_until, question_due_at)
    values ($1, 'pay_left', 1, 'route_a', $4, 'left', 'opening', $2, $3, $3, $3))
    insert into sandbox.idempotency_keys (merchant_id, scope, key, fingerprint, payment_id, created_at)
    select $1, 'POST /v1/payment-sessions', 'left', 'x', id, $3 from begun`,
    [shop.merchantId, new Date(Date.now() + 3_600_000), new Date(), kassa.ctx.routes.route_a.id],
  )
  const worker = await spawnKassa(settings)
  try {
    await expect
      .poll(async () => (await lookUp(worker.url, shop, 'pay_left')).body.status, { timeout: 40_000 })
      .toBe('pending_redirect')
    await expect
      .poll(
        () =>
          expectOneOrderEach(kassa).then(
            () => true,
            () => false,
          ),
        { timeout: 40_000 },
      )
      .toBe(true)
  } finally {
    await worker.kill('SIGKILL')
  }
}, 150_000)

/** Kills Kassa's embedded PostgreSQL with all its processes. */
async function killDatabase(dataDir: string): Promise<void> {
  const pidFile = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').catch(() =>
    readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'),
  )
  const postmaster = Number(pidFile.split('\n')[0])
  spawn('pkill', ['-9', '-P', String(postmaster)])
  process.kill(postmaster, 'SIGKILL')
}

test('kill -9 of the service and its database loses no acknowledged payment', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-crash-'))
  await chmod(dataDir, 0o755)
  const settings = {
    DATA_DIR: dataDir,
    SEED_DEMO: 'true',
    ATTEMPT_LEASE: '4',
    PORT: String(await freePort()),
  }
  let running: KassaProcess | null = null
  try {
    running = await spawnKassa(settings)
    const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Shop
    const round = { creations: 80, round: 0 }
    const creating = createUntilKilled(running.url, demo, round)
    await untilAcknowledged(creating, 20)
    await Promise.all([running.kill('SIGKILL'), killDatabase(dataDir)])
    await creating.ended
    running = await spawnKassa(settings)
    await expectNothingLost(running.url, demo, creating, round)
  } finally {
    await running?.kill('SIGTERM')
    await rm(dataDir, { recursive: true, force: true })
  }
})
