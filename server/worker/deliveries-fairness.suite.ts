/** Bad receivers among good ones: nobody waits for another's. The tests are in two sizes. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startFickleReceiver } from '../testing/fickle-receiver.ts'
import { type Kassa, openShop, startKassa } from '../testing/harness.ts'
import { CHANGES_EACH, livePayments } from '../testing/payments/status-changes.ts'
import { countInversions } from './deliveries-crash.suite.ts'
import { startWorker } from './worker.ts'

const MB = 1024 * 1024
/** A first attempt is made within this time. On a busy machine it may take three times as long as without bad receivers. */
const LIMIT_MS = 2_000
const SLOWER_MAX = 3
const EVIL = ['silent', 'drip', 'gigabyte'] as const

/** Endpoints that each are bad in their own way: no answer, a byte a second, an answer without an end. */
async function startEvilReceiver() {
  let open = 0
  let mostOpen = 0
  const timers = new Set<NodeJS.Timeout>()
  const block = Buffer.alloc(64 * 1024, 'x')
  const pour = (response: ServerResponse) => {
    while (!response.destroyed && response.write(block)) {}
    if (!response.destroyed) response.once('drain', () => pour(response))
  }
  const server = createServer((request, response) => {
    if (request.url === '/drip') timers.add(setInterval(() => response.write('x'), 1_000))
    if (request.url === '/gigabyte') pour(response.writeHead(200, { 'content-length': 1024 * MB }))
  })
  server.on('connection', (socket) => {
    mostOpen = Math.max(mostOpen, ++open)
    socket.on('close', () => open--).on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mostOpen: () => mostOpen,
    async close() {
      for (const timer of timers) clearInterval(timer)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function openShops(kassa: Kassa, urls: string[]): Promise<string[]> {
  const shops = await Promise.all(urls.map((callbackUrl) => openShop(kassa.ctx, { callbackUrl })))
  return shops.map((shop) => shop.merchantId)
}

/** The 99th percentile of the milliseconds from each event's writing to its first arrival. */
function p99Ms(arrivals: Awaited<ReturnType<typeof startFickleReceiver>>['arrivals']): number {
  const delays = arrivals
    .map(({ body, at }) => at - Date.parse(JSON.parse(body).createdAt))
    .sort((one, other) => one - other)
  return delays[Math.floor(delays.length * 0.99)] ?? Number.POSITIVE_INFINITY
}

async function arrived(receiver: Awaited<ReturnType<typeof startFickleReceiver>>, count: number) {
  await expect.poll(() => receiver.arrivals.length, { interval: 20 }).toBe(count)
}

/** Bad and good endpoints, payments of the good ones, and how far memory may grow. */
type Crowd = { bad: number; good: number; payments: number; megabytes: number }

/** `bad`: three or more, as there are three kinds. */
export function testCrowd({ bad, good, payments, megabytes }: Crowd): void {
  test(`${bad} endpoints that are silent, drip or pour among ${bad + good}: first attempts to the others p99 under 2 s`, async () => {
    const kassa = await startKassa({ worker: true })
    const evil = await startEvilReceiver()
    const receiver = await startFickleReceiver(0)
    try {
      const badOnes = await openShops(
        kassa,
        Array.from({ length: bad }, (_, index) => `${evil.url}/${EVIL[index % EVIL.length]}`),
      )
      const goodOnes = await openShops(
        kassa,
        Array.from({ length: good }, (_, index) => `${receiver.url}/${index}`),
      )
      const measureGoodOnes = async () => {
        const before = receiver.arrivals.length
        await livePayments(kassa.ctx, goodOnes, { payments, steps: 1, atOnce: 8 })
        await arrived(receiver, before + payments)
        return p99Ms(receiver.arrivals.slice(before))
      }
      const aloneMs = await measureGoodOnes()
      await livePayments(kassa.ctx, badOnes, { payments: bad * 10, steps: 1 })
      const rss = process.memoryUsage.rss()
      const besideBadOnesMs = await measureGoodOnes()
      expect(besideBadOnesMs).toBeLessThan(Math.max(LIMIT_MS, SLOWER_MAX * aloneMs))
      expect(process.memoryUsage.rss() - rss).toBeLessThan(megabytes * MB)
      expect(evil.mostOpen()).toBeLessThanOrEqual(bad * 4)
    } finally {
      await receiver.close()
      await evil.close()
      await kassa.close()
    }
  })
}

/** Needs no clock: what waited for a silent endpoint would not arrive before it is given up, which is long after this test. */
export function testSilent(): void {
  test('events to good endpoints arrive while others are silent', async () => {
    const kassa = await startKassa({ worker: true, permitted: { eventTimeoutSeconds: 600 } })
    const evil = await startEvilReceiver()
    const receiver = await startFickleReceiver(0)
    try {
      const silent = await openShops(kassa, [`${evil.url}/silent`, `${evil.url}/drip`])
      const good = await openShops(kassa, [`${receiver.url}/0`, `${receiver.url}/1`])
      await livePayments(kassa.ctx, silent, { payments: 20, steps: 1 })
      await expect.poll(() => evil.mostOpen(), { interval: 20 }).toBeGreaterThanOrEqual(2)
      await livePayments(kassa.ctx, good, { payments: 6, steps: 1, atOnce: 3 })
      await arrived(receiver, 6)
      const { rows } = await kassa.ctx.db.query(
        'select count(*)::int as n from sandbox.deliveries where merchant_id = any($1)',
        [silent],
      )
      expect(rows).toEqual([{ n: 0 }])
      expect(evil.mostOpen()).toBeLessThanOrEqual(2 * 4)
    } finally {
      await receiver.close()
      await evil.close()
      await kassa.close()
    }
  })
}

export function testOrder(payments: number): void {
  test('the first attempts for a payment are made in the order of its changes, under load and with two workers', async () => {
    const kassa = await startKassa({ worker: true })
    const other = await startWorkerBeside(kassa)
    const receiver = await startFickleReceiver(0)
    try {
      const merchants = await openShops(
        kassa,
        Array.from({ length: Math.min(10, payments) }, (_, index) => `${receiver.url}/${index}`),
      )
      await livePayments(kassa.ctx, merchants, { payments })
      await arrived(receiver, payments * CHANGES_EACH)
      const byEvent = Map.groupBy(receiver.arrivals, ({ headers }) => String(headers['webhook-id']))
      expect(byEvent.size).toBe(payments * CHANGES_EACH)
      expect(countInversions(byEvent)).toBe(0)
    } finally {
      await other.stop()
      await kassa.close()
      await receiver.close()
    }
  })
}

/** A second worker on the same database, as another process would be: it shares nothing else. */
const startWorkerBeside = ({ ctx }: Kassa) => startWorker({ ...ctx })
