import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  freePort,
  type KassaProcess,
  openShop,
  type Shop,
  spawnKassa,
  startKassa,
} from '../../testing/harness.ts'
import { freshSeed, seededRandom } from '../../testing/random.ts'
import { createUntilKilled, expectNothingLost, surviveServerKills, untilAcknowledged } from './crash.suite.ts'

test('kill -9 of the server during 200 creations, ten times, loses no payment and creates none twice', async () => {
  const kassa = await startKassa()
  const seed = freshSeed()
  try {
    const shop = await openShop(kassa.ctx)
    await surviveServerKills(kassa, shop, { rounds: 10, creations: 200, random: seededRandom(seed) })
    const { rows } = await kassa.ctx.db.query('select count(*)::int as count from sandbox.payments')
    process.stdout.write(`kills during creations with seed ${seed}: ${rows[0].count} payments\n`)
    expect(rows[0].count).toBe(2_000)
  } finally {
    await kassa.close()
  }
})

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
