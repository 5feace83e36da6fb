import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { noteBackup } from '../storage/backup/facts.ts'
import { measureOpenWork } from '../storage/open-work.ts'
import { call, createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { freePort, type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { NO_METRICS } from './metrics.ts'
import { ACCOUNTS_MAX } from './prometheus.ts'
import { type MetricsServer, startMetrics } from './serve.ts'

let kassa: Kassa
let receiver: Receiver
let shop: Shop
let metrics: MetricsServer
beforeAll(async () => {
  const settings = { METRICS_PORT: '0', EVENT_RETRY_DELAYS: '0,1,3600' }
  kassa = await startKassa({ worker: true, settings })
  const started = await startMetrics({ sandbox: kassa.ctx })
  if (!started) throw new Error('Bug! METRICS_PORT was set.')
  metrics = started
  receiver = await startReceiver((index) => [500, 200][index] ?? 200)
  shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
})
afterAll(async () => {
  await metrics.close()
  await kassa.close()
  await receiver.close()
})

const address = (path = '/metrics') => `http://127.0.0.1:${metrics.port}${path}`
const scrape = async () => (await fetch(address())).text()

/** Returns the value of the sandbox's series with exactly these labels, in any order; undefined if there is none. */
function readValue(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries({ world: 'sandbox', ...labels }).map(
    ([label, value]) => `${label}="${value}"`,
  )
  for (const line of text.split('\n')) {
    const [, series, inside = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    const given = inside === '' ? [] : inside.split(/,(?=\w+=)/)
    if (series === name && given.sort().join() === wanted.sort().join()) return Number(value)
  }
  return undefined
}

describe('the metrics after some traffic', () => {
  const attempts = 'kassa_event_delivery_duration_seconds_count'
  const seconds = 'kassa_http_request_duration_seconds_count'
  const create = { endpoint: '/v1/payment-sessions', method: 'post' }
  let text: string
  let paymentIds: string[]
  beforeAll(async () => {
    const make = (order: string) =>
      createSession(kassa.url, shop, { key: order, body: sessionRequest({ merchantOrderId: order }) })
    const [first, second] = [await make('one'), await make('two')]
    await make('two')
    paymentIds = [first.body.id, second.body.id]
    await call(`${kassa.url}/v1/payment-sessions`, { body: {} })
    await payAtBank(first.body.providerCheckoutUrl, 'paid')
    await receiver.until(2)
    await lookUp(kassa.url, shop, first.body.id)
    await vi.waitUntil(async () => readValue(await scrape(), attempts, { result: 'delivered' }) === 1)
    text = await scrape()
  })

  test('requests are counted by endpoint, method and status', () => {
    expect(readValue(text, seconds, { ...create, status: '201' })).toBe(2)
    expect(readValue(text, seconds, { ...create, status: '200' })).toBe(1)
    expect(readValue(text, seconds, { ...create, status: '401' })).toBe(1)
    expect(readValue(text, seconds, { endpoint: '/v1/payments', method: 'get', status: '200' })).toBe(1)
    const sum = readValue(text, 'kassa_http_request_duration_seconds_sum', { ...create, status: '201' })
    expect(sum).toBeGreaterThan(0)
    expect(sum).toBeLessThan(10)
  })

  test('payments, status changes and deliveries are counted once each', () => {
    expect(readValue(text, 'kassa_payments_created_total', { route: 'route_a' })).toBe(2)
    const changed = (to: string, cause: string) =>
      readValue(text, 'kassa_payment_status_changes_total', { to, cause })
    expect([changed('pending_redirect', 'request'), changed('paid', 'provider')]).toEqual([2, 1])
    const delivered = (result: string) => readValue(text, attempts, { result })
    expect([delivered('delivered'), delivered('refused'), delivered('failed')]).toEqual([1, 1, 0])
  })

  test('no label names a merchant, a payment or an API key', () => {
    for (const secret of [shop.merchantId, shop.token, shop.publicKey, ...paymentIds])
      expect(text).not.toContain(secret)
    expect(text).toContain('process_cpu_seconds_total')
  })

  test('the queue’s depth is read from the database at each scrape', async () => {
    const { db } = kassa.ctx
    await db.query("select sandbox_jobs.add_job('not_ours', run_at => now() + interval '1 hour')")
    expect(readValue(await scrape(), 'kassa_queue_jobs', { state: 'later' })).toBe(1)
    await db.query("select sandbox_jobs.add_job('not_ours', run_at => now() - interval '90 seconds')")
    const due = await scrape()
    expect(readValue(due, 'kassa_queue_jobs', { state: 'due' })).toBe(1)
    expect(readValue(due, 'kassa_queue_oldest_due_seconds')).toBeGreaterThanOrEqual(90)
  })

  test('open work is read from the database at each scrape', async () => {
    const { db } = kassa.ctx
    const open = async () => {
      const scraped = await scrape()
      return Object.fromEntries(
        [
          'events_undelivered',
          'payments_undecided',
          'operations_in_review',
          'questions_overdue',
          'operations_overdue',
          'renewals_overdue',
          'receipts_failed',
          'receivers_paused',
          'ready',
        ].map((name) => [name, readValue(scraped, `kassa_${name}`)]),
      )
    }
    expect(await open()).toEqual({
      events_undelivered: 0,
      payments_undecided: 0,
      operations_in_review: 0,
      questions_overdue: 0,
      operations_overdue: 0,
      renewals_overdue: 0,
      receipts_failed: 0,
      receivers_paused: 0,
      ready: 1,
    })
    await db.query(`update sandbox.receivers set paused_at = now()`)
    await db.query(
      `update sandbox.events set due_at = now() + interval '1 hour', created_at = now() - interval '20 minutes'`,
    )
    expect(await open()).toMatchObject({ events_undelivered: 1, receivers_paused: 1 })
    expect(readValue(await scrape(), 'kassa_events_oldest_undelivered_seconds')).toBeGreaterThanOrEqual(1200)
    await db.query(`update sandbox.events set due_at = null`)
    // The open payment's question has its time. Two hours later it would be overdue.
    const later = new Date(Date.now() + 7_200_000)
    expect(await measureOpenWork(db, later)).toMatchObject({ overdueQuestions: 1, undeliveredEvents: 0 })
  })

  test('the clock, the free disk space and the age of the last backup are shown', async () => {
    const { db } = kassa.ctx
    const backupAge = async () => readValue(await scrape(), 'kassa_backup_age_seconds')
    expect(await backupAge()).toBeUndefined()
    await noteBackup(db, '/backups/one', new Date(Date.now() - 7_200_000))
    expect(Math.round(((await backupAge()) ?? 0) / 60)).toBe(120)
    const scraped = await scrape()
    expect(readValue(scraped, 'kassa_disk_free_bytes')).toBeGreaterThan(0)
    expect(readValue(scraped, 'kassa_clock_offset_seconds')).toBeDefined()
  })

  test('the connections of the pool are counted', async () => {
    const scraped = await scrape()
    const states = ['busy', 'idle', 'waiting'].map((state) =>
      readValue(scraped, 'kassa_database_connections', { state }),
    )
    expect(states.map((count) => count !== undefined && count >= 0)).toEqual([true, true, true])
    expect((states[0] ?? 0) + (states[1] ?? 0)).toBeGreaterThan(0)
  })

  test('count requests to providers by account and result; after 50 accounts the others share a label', async () => {
    const provider = createServer((request, response) =>
      response.writeHead(Number(request.url?.slice(1))).end(),
    ).listen(0, '127.0.0.1')
    await once(provider, 'listening')
    const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    const ask = (account: string, status: number) =>
      kassa.ctx.providers
        .open({ id: account, addresses: [origin], secrets: [] }, AbortSignal.timeout(5_000), null)
        .request({ method: 'GET', url: `${origin}/${status}` })
    for (const status of [200, 401, 403, 404, 500]) await ask('acc_one', status)
    const [bank = ''] = (await kassa.ctx.accounts.read()).byId.keys()
    for (let count = 0; count < ACCOUNTS_MAX; count++) await ask(`acc_${count}`, 200)
    provider.close()
    const scraped = await scrape()
    const requestsOf = (account: string, result: string) =>
      readValue(scraped, 'kassa_provider_request_duration_seconds_count', { account, result })
    expect(['answered', 'denied', 'failed'].map((result) => requestsOf('acc_one', result))).toEqual([2, 2, 1])
    expect(requestsOf(bank, 'answered')).toBeGreaterThan(0)
    expect([requestsOf('acc_0', 'answered'), requestsOf(`acc_${ACCOUNTS_MAX - 1}`, 'answered')]).toEqual([
      1,
      undefined,
    ])
    const labels = scraped.matchAll(/kassa_provider_request_duration_seconds_count\{.*account="([^"]+)"/g)
    expect(new Set([...labels].map(([, label]) => label)).size).toBe(ACCOUNTS_MAX + 1)
    expect(requestsOf('other', 'answered')).toBeGreaterThan(0)
  })

  test('a breaker that stops the requests to a provider is counted', async () => {
    kassa.ctx.metrics.breakerChanged('open')
    expect(readValue(await scrape(), 'kassa_provider_breaker_changes_total', { state: 'open' })).toBe(1)
  })

  test('while the database is away, only the values of the queue and of open work are missing', async () => {
    const { db } = kassa.ctx
    kassa.ctx.db = {
      query: () => Promise.reject(new Error('away')),
      totalCount: 0,
      idleCount: 0,
      waitingCount: 0,
    } as never
    const away = await scrape()
    kassa.ctx.db = db
    expect(readValue(away, 'kassa_queue_jobs', { state: 'due' })).toBeUndefined()
    expect(readValue(away, 'kassa_payments_undecided')).toBeUndefined()
    expect(readValue(away, 'kassa_payments_created_total', { route: 'route_a' })).toBe(2)
  })
})

describe('the metrics port', () => {
  test('serves GET /metrics and nothing else', async () => {
    expect((await fetch(address('/'))).status).toBe(404)
    expect((await fetch(address(), { method: 'POST' })).status).toBe(405)
    expect((await call(`${kassa.url}/metrics`, { method: 'GET' })).status).toBe(404)
  })

  test('is not opened without METRICS_PORT, and then nothing is counted', async () => {
    const other = await startKassa()
    expect(await startMetrics({ sandbox: other.ctx })).toBeNull()
    expect(other.ctx.metrics).toBe(NO_METRICS)
    await other.close()
  })

  test('that is in use makes the start fail with an error that names METRICS_PORT', async () => {
    const other = await startKassa({ settings: { METRICS_PORT: String(metrics.port) } })
    await expect(startMetrics({ sandbox: other.ctx })).rejects.toThrow(
      `METRICS_PORT: 127.0.0.1:${metrics.port}`,
    )
    await other.close()
    expect(await freePort()).not.toBe(metrics.port)
  })
})
