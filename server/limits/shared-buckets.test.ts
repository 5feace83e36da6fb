import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession } from '../testing/calls.ts'
import { freePort, type Kassa, openShop, startKassa } from '../testing/harness.ts'
import { serveHere } from '../testing/serve-here.ts'

/** The one of the two servers that is installed. */
const SERVER = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0)
if (!SERVER)
  console.warn('The shared rate limits are not tested: there is no redis-server or valkey-server here.')

async function startRedis(port: number): Promise<ChildProcess> {
  const redis = spawn(SERVER ?? '', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'])
  for await (const chunk of redis.stdout) if (String(chunk).includes('Ready to accept')) break
  redis.stdout.resume()
  return redis
}

async function stop(redis: ChildProcess): Promise<void> {
  redis.kill('SIGTERM')
  await once(redis, 'exit')
}

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

test('without a Redis at its address the service limits requests by itself, and logs that once', async () => {
  const REDIS_URL = `redis://127.0.0.1:${await freePort()}`
  const running = await serveHere({
    DATABASE_URL: kassa.databaseUrl,
    REDIS_URL,
    RATE_LIMITS: 'write=0.01:5',
  })
  try {
    const shop = await openShop(kassa.ctx)
    const statuses: number[] = []
    for (let index = 0; index < 8; index++)
      statuses.push((await createSession(running.url, shop, { key: 'away' })).status)
    // The service counts for itself: it allows a burst of 5.
    expect(statuses).toEqual([201, 200, 200, 200, 200, 429, 429, 429])
    expect(running.output().match(/redis is away/g)).toHaveLength(1)
  } finally {
    await running.stop()
  }
})

describe.skipIf(!SERVER)('with REDIS_URL', () => {
  test('two services share a limit, count for themselves while Redis is away, and share again when it is back', async () => {
    const port = await freePort()
    let redis = await startRedis(port)
    const settings = {
      DATABASE_URL: kassa.databaseUrl,
      REDIS_URL: `redis://127.0.0.1:${port}`,
      RATE_LIMITS: 'write=0.01:10',
      LOG_LEVEL: 'info',
    }
    const both = await Promise.all([serveHere(settings), serveHere(settings)])
    /** Sends `count` requests, alternating between both services. Returns how many were allowed. */
    async function passing(count: number): Promise<number> {
      const shop = await openShop(kassa.ctx)
      let passed = 0
      for (let index = 0; index < count; index++) {
        const { status } = await createSession(both[index % 2]?.url ?? '', shop, { key: 'same' })
        expect([200, 201, 429]).toContain(status)
        if (status !== 429) passed++
      }
      return passed
    }
    try {
      expect(await passing(30)).toBe(10)
      await stop(redis)
      expect(await passing(30)).toBe(20)
      for (const each of both) expect(each.output().match(/redis is away/g)).toHaveLength(1)
      redis = await startRedis(port)
      await expect.poll(() => passing(30), { timeout: 10_000, interval: 500 }).toBe(10)
    } finally {
      await Promise.all(both.map((each) => each.stop()))
      await stop(redis)
    }
  })
})
