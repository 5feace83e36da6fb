/**
 * Starts a whole Kassa for a test, with a real database and HTTP server, and creates merchants with a token, a product and an
 * installation. `startKassa` runs it in the test's process. `spawnKassa` runs it in its own process, which can be killed.
 * `serveHere` of serve-here.ts runs all that a process runs, but in the test's process.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { storeOwnAccounts } from '../accounts/deployment.ts'
import { createApp } from '../app.ts'
import { releaseWidget } from '../channels/widget-release.ts'
import { type Config, readConfig } from '../config.ts'
import type { Clock, Context, Worlds } from '../context.ts'
import type { World } from '../contract/health.ts'
import { KEEP_ALIVE_MS } from '../http/server.ts'
import { createWorldShares } from '../limits/world-share.ts'
import { createLog } from '../log/log.ts'
import { issueToken } from '../merchants/api-key.ts'
import { createInstallation } from '../merchants/installation.ts'
import { setProduct } from '../merchants/product.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { createVault } from '../secrets/vault.ts'
import { type Db, openDb, type PoolOptions } from '../storage/db.ts'
import { startWorker } from '../worker/worker.ts'
import { createContext } from '../world.ts'
import { listWorlds, mainWorld } from '../worlds.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type Witness, witness } from './documents/witness.ts'
import { borrowDatabase, type LentDatabase } from './kept-database.ts'
import { endProcess, startProcess, type TestProcess } from './processes/child-process.ts'
import { endPassedTime } from './real-time.ts'

export const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')
export const SHOP_ORIGIN = 'https://shop.example'
const ENTRY = fileURLToPath(new URL('../main.ts', import.meta.url))
/** Long enough for a busy machine. initdb and a start alone take 3 s. */
const READY_WITHIN_MS = 40_000
/** A busy machine is no database that is away, however many wait for a connection of the pool. */
const CONNECT_WITHIN_MS = 60_000

/**
 * Each connection to a new database reads the catalogue and plans every statement once more. With ten of them a test of a few requests
 * costs PostgreSQL twice as much as with four.
 */
const FEW_CONNECTIONS = { POOL_MAX: '4' }

const TEST_DEFAULTS = { LOG_LEVEL: 'silent', ...FEW_CONNECTIONS }

/** As many connections as a service has by default, for tests in which requests race. */
export const MANY_CONNECTIONS = { POOL_MAX: '10' }

/** A clock that a test moves. It starts at the real time. */
export class TestClock implements Clock {
  offsetMs = 0
  now(): Date {
    return new Date(Date.now() + this.offsetMs)
  }
  advance(ms: number): void {
    this.offsetMs += ms
  }
}

export type Shop = {
  merchantId: string
  webhookSecret: string
  token: string
  publicKey: string
  installationId: string
}

/** A merchant that sells `tea` for 19.00 USD and `cup` for 1 900 AMD on SHOP_ORIGIN. */
export async function openShop(
  ctx: Context,
  { callbackUrl, onboard }: { callbackUrl?: string; onboard?: (merchantId: string) => Promise<void> } = {},
): Promise<Shop> {
  const { merchantId, webhookSecret } = await createMerchant(ctx, { name: 'Test shop', callbackUrl })
  await onboard?.(merchantId)
  await setProduct(ctx, {
    merchantId,
    id: 'tea',
    name: 'Tea',
    amountMinor: 1900,
    currency: 'USD',
    provider: null,
  })
  await setProduct(ctx, {
    merchantId,
    id: 'cup',
    name: 'Cup',
    amountMinor: 190_000,
    currency: 'AMD',
    provider: null,
  })
  const { token } = await issueToken(ctx, { merchantId })
  const installation = await createInstallation(ctx, {
    merchantId,
    origins: [SHOP_ORIGIN],
    returnUrl: `${SHOP_ORIGIN}/thanks`,
  })
  return {
    merchantId,
    webhookSecret,
    token,
    publicKey: installation.publicKey,
    installationId: installation.id,
  }
}

type SandboxContext = Context & Required<Pick<Context, 'sandbox'>>

export type Kassa = {
  /** The sandbox's context. */
  ctx: SandboxContext
  /** The live world's context with MODE=live. */
  live: Context
  worlds: Worlds
  clock: TestClock
  url: string
  databaseUrl: string
  witness: Witness
  /** Stops everything. Fails if the API sent a response that is not documented. */
  close(): Promise<void>
}

type Given = {
  settings?: Record<string, string>
  permitted?: Partial<Config>
  worker?: boolean
  logLines?: string[]
  database?: TestDatabase
  isNew?: boolean
}

/**
 * `settings`: environment variables. `permitted`: settings that a normal start would reject, such as callbacks to this machine in
 * live mode. `worker`: whether the jobs run too. `logLines`: gets every line of the log, of all levels. `database`: a migrated one, which it drops
 * at its end. By itself it takes one that this process has used before. `isNew`: a new one, for tests of PostgreSQL's plans, which
 * removed rows change.
 */
export async function startKassa({
  settings = {},
  permitted = {},
  worker = false,
  logLines,
  database: given,
  isNew = false,
}: Given = {}): Promise<Kassa> {
  const mode = settings.MODE === 'live' ? 'live' : 'sandbox'
  const database: TestDatabase & Partial<LentDatabase> =
    given ?? (await (isNew ? createTestDatabase : borrowDatabase)(inject('postgresUrl'), mode))
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const unlimited = mode === 'live' ? {} : { RATE_LIMITS: 'off' }
  const environment = { ...TEST_DEFAULTS, DATABASE_URL: database.url, ...unlimited, ...settings }
  const config = { ...readConfig(environment), ...permitted }
  const clock = new TestClock()
  const log = logLines ? createLog('trace', (line) => logLines.push(line)) : createLog(config.logLevel)
  const vault = createVault([SECRETS_KEY])
  const shares = mode === 'live' ? createWorldShares() : null
  const open = (world: World) =>
    createContext(config, {
      db: openPool(database, { world, max: config.poolMax }),
      log,
      vault,
      localUrl: url,
      clock,
      ...(shares && { share: shares[world] }),
    })
  const ctx = open('sandbox') as SandboxContext
  const worlds: Worlds = config.mode === 'live' ? { sandbox: ctx, live: open('live') } : { sandbox: ctx }
  for (const each of listWorlds(worlds)) await storeOwnAccounts(each)
  const watching = witness(server)
  server.on('request', createApp(worlds, { widget: await releaseWidget(ctx) }))
  const workers = worker ? await Promise.all(listWorlds(worlds).map((each) => startWorker(each))) : []
  return {
    ctx,
    live: mainWorld(worlds),
    worlds,
    clock,
    url,
    databaseUrl: database.url,
    witness: watching,
    async close() {
      await closeServer(server)
      await Promise.all(workers.map((each) => each.stop()))
      for (const each of listWorlds(worlds)) {
        each.buckets.close()
        await each.exchangeLog.flush()
        await each.db.end()
      }
      await database.drop()
      endPassedTime()
      watching.vouch()
    },
  }
}

function openPool(database: TestDatabase & Partial<LentDatabase>, options: PoolOptions): Db {
  const db = openDb(database.url, options)
  db.options.connectionTimeoutMillis = CONNECT_WITHIN_MS
  database.lend?.(db)
  return db
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

export type KassaProcess = {
  url: string
  child: TestProcess
  output(): string
  kill(signal: NodeJS.Signals): Promise<void>
}

/** The settings that a whole service has in tests, unless a test sets others. */
export const TEST_SETTINGS = {
  SECRETS_KEY,
  MODE: 'sandbox',
  SEED_DEMO: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMITS: 'off',
  CONSOLE_PORT: 'off',
  ...FEW_CONNECTIONS,
}

/** Starts a Kassa in its own process on a free port. Resolves when it responds. `entry`: of another checkout. */
export async function spawnKassa(settings: Record<string, string>, entry = ENTRY): Promise<KassaProcess> {
  const port = settings.PORT ?? String(await freePort())
  const child = startProcess(entry, { env: { ...TEST_SETTINGS, ...settings, PORT: port } })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (text = (text + chunk).slice(-50_000)))
  const url = `http://127.0.0.1:${port}`
  await untilReady(url, child, () => text)
  return {
    url,
    child,
    output: () => text,
    kill: (signal) => endProcess(child, signal),
  }
}

async function untilReady(url: string, child: TestProcess, output: () => string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`Kassa ended with ${child.exitCode}:\n${output()}`)
    const health = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(1_000) }).then(
      (answer) => answer.json(),
      () => null,
    )
    if ((health as { ready?: boolean } | null)?.ready) return
    await sleep(50)
  }
  throw new Error(`Kassa was not ready in time:\n${output()}`)
}

export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
