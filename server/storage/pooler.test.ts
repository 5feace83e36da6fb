/** Both worlds behind a pooler in transaction mode, where a session's state belongs to nobody. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { allowAccount } from '../accounts/manage.ts'
import { createApp } from '../app.ts'
import { releaseWidget } from '../channels/widget-release.ts'
import { readConfig } from '../config.ts'
import { WORLDS, type World } from '../contract/health.ts'
import { openService, type Service } from '../service.ts'
import { createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { openShop, SECRETS_KEY, type Shop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { findPgbouncer, type Pooler, startPooler } from '../testing/pooler.ts'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { onboard } from '../testing/scene/live.ts'
import { startSandboxWorker } from '../worker/sandbox-worker.ts'
import { startWorker, type Worker } from '../worker/worker.ts'

/** Far fewer than the clients of one process, so that both worlds take turns on each of them. */
const SERVER_CONNECTIONS = 3
const POOL_MAX = 24
const REQUESTS = 96
const AT_ONCE = 24
const LIFE = { timeout: 60_000 }

const program = findPgbouncer()
if (!program) console.error('The tests of the pooler are skipped: pgbouncer is not installed.')

describe.skipIf(!program)('behind pgbouncer in transaction mode', () => {
  let database: TestDatabase
  let pooler: Pooler
  let service: Service
  let workers: Worker[]
  let receiver: Receiver
  let shops: Record<World, Shop>
  let url: string
  const server = createServer()

  const settings = (given: Record<string, string> = {}) =>
    readConfig({
      MODE: 'live',
      BASE_URL: 'https://pay.example',
      DEFAULT_PROVIDER: 'manual',
      RATE_LIMITS: 'write=1000:1000,lookup=1000:1000',
      TRUST_PROXY: '1',
      SECRETS_KEY,
      LOG_LEVEL: 'error',
      POOL_MAX: String(POOL_MAX),
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: database.url,
      ...given,
    })

  beforeAll(async () => {
    database = await createTestDatabase(inject('postgresUrl'))
    pooler = await startPooler(program ?? '', database.url, { connections: SERVER_CONNECTIONS })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    // The bank, the buyer and the receiver of this test are on this machine.
    const config = { ...settings(), baseUrl: url, callbackAllow: ['loopback' as const] }
    service = await openService(config, { localUrl: url })
    const { worlds } = service
    server.on('request', createApp(worlds, { widget: await releaseWidget(service.ctx) }))
    const { sandbox, live = sandbox } = worlds
    workers = [await startSandboxWorker(sandbox), await startWorker(live)]
    receiver = await startReceiver()
    const callbackUrl = receiver.url
    shops = {
      sandbox: await openShop(sandbox, { callbackUrl }),
      live: await openShop(live, { callbackUrl, onboard: (id) => onboard({ ctx: sandbox }, id) }),
    }
    const { merchantId } = shops.live
    await allowAccount(live, { accountId: live.routes.manual.id, merchantId, allowed: true })
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await Promise.all((workers ?? []).map((worker) => worker.stop()))
    await service?.close()
    await pooler?.close()
    await database?.drop()
    await receiver?.close()
  })

  /** Asks the database itself. Returns the rows of a statement that has `world.` before its tables. */
  async function ask(world: World, text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      return (await client.query(text.replaceAll('world.', `${world}.`))).rows
    } finally {
      await client.end()
    }
  }

  /** The sessions of the database that serve many questions of this world at once. */
  async function sessionsOf(world: World): Promise<number[]> {
    const { db } = service.worlds[world] ?? service.ctx
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => db.query<{ pid: number }>('select pg_backend_pid() as pid')),
    )
    return answers.flatMap(({ rows }) => rows.map(({ pid }) => pid))
  }

  const provider = (world: World) => (world === 'live' ? 'manual' : 'route_a')
  const create = (world: World, order: string) => {
    const body = sessionRequest({ merchantOrderId: order, provider: provider(world) })
    return createSession(url, shops[world], { key: order, body })
  }
  const markOf = (world: World) => (world === 'live' ? /^pay_[0-9a-z]{36}$/ : /^pay_test_[0-9a-z]{36}$/)

  test.each(WORLDS)(
    'a payment of the %s world is created, paid, told to its merchant and looked up',
    async (world) => {
      const { status, body } = await create(world, `life-${world}`)
      expect([status, body.id]).toEqual([201, expect.stringMatching(markOf(world))])
      if (world === 'sandbox') await payAtBank(body.providerCheckoutUrl, 'paid')
      else {
        await fetch(`${url}/checkout/${body.id}`)
        const args = ['payment', 'confirm', '--payment', body.id, '--reference', 'RF1', '--live']
        expect(await operateHere(async () => service.worlds, args)).toMatchObject({ code: 0 })
      }
      await expect
        .poll(async () => (await lookUp(url, shops[world], body.id)).body, LIFE)
        .toMatchObject({ status: 'paid', livemode: world === 'live', capturedMinor: 1900 })
      const events = () => receiver.received.filter(({ event }) => event.payment.id === body.id)
      await expect.poll(() => events().at(-1)?.event, LIFE).toMatchObject({ livemode: world === 'live' })
    },
  )

  test('many requests of both worlds at once each find their own world, over a few shared connections', async () => {
    const made: Record<World, string[]> = { sandbox: [], live: [] }
    for (let start = 0; start < REQUESTS; start += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, index) => {
          const world = WORLDS[index % 2] ?? 'live'
          // Both worlds use the same keys and orders.
          const { status, body } = await create(world, `mixed-${start + Math.floor(index / 2)}`)
          expect([status, body.id]).toEqual([201, expect.stringMatching(markOf(world))])
          const found = await lookUp(url, shops[world], body.id)
          expect([found.status, found.body.livemode]).toEqual([200, world === 'live'])
          made[world].push(body.id)
        }),
      )
    for (const world of WORLDS) {
      const rows = await ask(
        world,
        "select id from world.payments where merchant_order_id like 'mixed-%' order by id",
      )
      expect(rows.map(({ id }) => id)).toEqual(made[world].sort())
    }
    const [sandbox, live] = await Promise.all(WORLDS.map(sessionsOf))
    expect(new Set([...(sandbox ?? []), ...(live ?? [])]).size).toBeLessThanOrEqual(SERVER_CONNECTIONS)
    expect(sandbox?.some((pid) => live?.includes(pid))).toBe(true)
  })

  test('the job queue of each world listens past the pooler', async () => {
    const listening = await ask(
      'live',
      `select client_port from pg_stat_activity where datname = current_database() and query like 'LISTEN%'`,
    )
    expect(listening).toHaveLength(2)
    for (const world of WORLDS) expect(service.worlds[world]?.jobsDb).not.toBe(service.worlds[world]?.db)
  })

  test('no statement has a name, because a prepared statement belongs to a session', async () => {
    for (const world of WORLDS) expect(service.worlds[world]?.db.named).toBe(false)
    const { rows } = (await service.ctx.db.query('select name from pg_prepared_statements')) as {
      rows: unknown[]
    }
    expect(rows).toEqual([])
  })

  test.each([
    ['rejects the settings of a session', []],
    ['drops the settings of a session', ['options', 'statement_timeout']],
  ])('without DATABASE_DIRECT_URL the start says what to set, if the pooler %s', async (_name, ignoring) => {
    const other = await startPooler(program ?? '', database.url, { connections: 2, ignoring })
    try {
      const config = settings({ DATABASE_URL: other.url, DATABASE_DIRECT_URL: '' })
      await expect(openService(config)).rejects.toThrow(
        'DATABASE_URL is the address of a pooler such as pgbouncer, which shares its sessions. Set DATABASE_DIRECT_URL to',
      )
    } finally {
      await other.close()
    }
  })

  test('a DATABASE_DIRECT_URL that leads to another database is refused', async () => {
    const other = await createTestDatabase(inject('postgresUrl'))
    try {
      await expect(openService(settings({ DATABASE_DIRECT_URL: other.url }))).rejects.toThrow(
        'DATABASE_DIRECT_URL and DATABASE_URL are addresses of different databases.',
      )
    } finally {
      await other.drop()
    }
  })
})
