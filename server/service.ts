/**
 * Puts the worlds' contexts together from settings: database, keys, routes, ways out. The server, the operator's commands
 * and tests share it.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { followSandboxClock } from './clock.ts'
import type { Config } from './config.ts'
import { type Context, listWorlds, systemClock, type Worlds } from './context.ts'
import type { World } from './contract/health.ts'
import { AppError } from './errors.ts'
import { createSharedBuckets } from './limits/shared-buckets.ts'
import { createMemoryBuckets } from './limits/token-bucket.ts'
import { createWorldShare } from './limits/world-share.ts'
import { createLog } from './log.ts'
import { NO_METRICS } from './metrics/metrics.ts'
import { createOutbound } from './outbound.ts'
import { defaultDataDir, startEmbedded } from './postgres/embedded.ts'
import { createSandboxRegister } from './providers/fiscal/sandbox/register.ts'
import { readRoutes } from './providers/registry.ts'
import { createSandboxBank } from './providers/sandbox/simulator/bank.ts'
import { type CardBooks, createSandboxCards } from './providers/sandbox/simulator/cards.ts'
import type { BankBooks } from './providers/sandbox/simulator/order.ts'
import { type Db, openDb } from './storage/db.ts'
import { listSealingKeys } from './storage/events/webhook-secrets.ts'
import { hasLiveWorld, migrate } from './storage/migrate.ts'
import { isDatabaseReady } from './storage/readiness.ts'
import { claimSandboxCallbacks, noteSandboxCallback } from './storage/sandbox/callbacks.ts'
import { changeSandboxCard, findSandboxCard, insertSandboxCard } from './storage/sandbox/cards.ts'
import {
  changeSandboxOrder,
  findNextSandboxDeed,
  findSandboxOrder,
  insertSandboxOrder,
  listDueSandboxOrders,
} from './storage/sandbox/orders.ts'
import { findSandboxReceipt, takeSandboxReceipt } from './storage/sandbox/receipts.ts'
import { createVault, type Vault } from './vault.ts'

/** The least that a pool needs: the start holds one connection while the queue's own migrations ask for another. */
const POOL_LEAST = 2

export type Service = {
  worlds: Worlds
  /** The context of the deployment's own world, which MODE names. */
  ctx: Context
  dataDir: string
  /** There was no Kassa in this database before. */
  isNew: boolean
  /** From now on the service reports itself as not ready, so that it gets no new requests. */
  announceLeaving(): void
  close(): Promise<void>
}

type OpenOptions = {
  /** Takes lines about slow steps of the start. */
  onProgress?: (line: string) => void
  /** False for a visitor (the operator's commands), which does not start a database again that was killed. */
  own?: boolean
  /** Where this process's HTTP server listens, if it has one; the public address unless BASE_URL names another. */
  localUrl?: string
  /** Where the log goes; standard output, unless that is for answers (the operator's commands). */
  logTo?: 'stdout' | 'stderr'
}

/**
 * Opens the database (an embedded one unless DATABASE_URL names another), brings it to this build's schema, and builds
 * a context for each world. @throws Error with one line that says what to do.
 */
export async function openService(
  config: Config,
  { onProgress, own = true, localUrl, logTo = 'stdout' }: OpenOptions = {},
): Promise<Service> {
  const dataDir = config.dataDir ?? defaultDataDir()
  const embedded = config.databaseUrl
    ? null
    : await startEmbedded({ dataDir, revive: own, ...(onProgress && { onProgress }) })
  const log = createLog(config.logLevel, logTo)
  let closing = false
  const pools: Db[] = []
  const open = (world: World, max: number) => {
    const db = openDb(config.databaseUrl ?? embedded?.url ?? '', {
      world,
      max,
      pooled: config.databaseDirectUrl !== undefined,
      // While the service closes, connections end because we end them.
      onError: (error) => closing || log.warn({ err: error, world }, 'database connection lost'),
    })
    pools.push(db)
    return db
  }
  let stopFollowing = () => {}
  const close = async () => {
    closing = true
    stopFollowing()
    await Promise.all(pools.map((db) => db.end()))
    await embedded?.stop()
  }
  try {
    const sizes = shareConnections(config)
    const db = open(config.mode, sizes[config.mode])
    const isNew = await prepare(config, db)
    const sandboxDb = config.mode === 'sandbox' ? db : open('sandbox', sizes.sandbox)
    const vault = createVault(await readSecretsKeys(config, dataDir))
    for (const pool of pools) await expectKeysOpen(pool, vault)
    const following = await followSandboxClock(sandboxDb, log)
    stopFollowing = following.stop
    const parts = { log, vault, localUrl: localUrl ?? `http://localhost:${config.port}` }
    const worlds: Worlds = {
      sandbox: createContext(config, { ...parts, db: sandboxDb, clock: following.clock }),
      ...(config.mode === 'live' && {
        live: createContext(config, { ...parts, db }),
        share: createWorldShare(),
      }),
    }
    const ctx = worlds[config.mode] ?? worlds.sandbox
    return {
      worlds,
      ctx,
      dataDir,
      isNew,
      announceLeaving: () => {
        for (const each of listWorlds(worlds))
          each.readinessBlockers = async () => ['the service is shutting down']
      },
      close: () => {
        for (const each of listWorlds(worlds)) each.buckets.close()
        return close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Beside a live world the sandbox gets a third of the connections, so that it can never starve real payments. */
function shareConnections({ mode, poolMax }: Config): Record<World, number> {
  if (mode === 'sandbox') return { sandbox: poolMax, live: 0 }
  const sandbox = Math.max(POOL_LEAST, Math.floor(poolMax / 3))
  return { sandbox, live: Math.max(POOL_LEAST, poolMax - sandbox) }
}

/** Returns whether the database was empty. @throws AppError when the settings do not fit what the database holds */
async function prepare(config: Config, db: Db): Promise<boolean> {
  if (!config.isModeSet && (await hasLiveWorld(db)))
    throw new AppError('storage_unavailable', {
      message:
        'This database holds a live world, and MODE is not set. Set MODE=live to serve real payments, or MODE=sandbox to serve only the sandbox.',
    })
  const direct = config.databaseDirectUrl
  const own = direct === undefined ? db : openDb(direct, { world: db.world, max: POOL_LEAST })
  try {
    const applied = await migrate(own, config.mode === 'live' ? ['sandbox', 'live'] : ['sandbox'])
    return applied.some((name) => name.startsWith('kassa/0001_'))
  } finally {
    if (own !== db) await own.end()
  }
}

type Parts = Pick<Context, 'db' | 'log' | 'localUrl' | 'vault'> & { clock?: Context['clock'] }

/** A world's context: the pool says which world. */
export function createContext(
  config: Config,
  { db, log: parentLog, vault, localUrl, clock = systemClock }: Parts,
): Context {
  const { world } = db
  const log = parentLog.child({ world })
  const baseUrl = config.baseUrl ?? localUrl
  const address = `${baseUrl}/sandbox/bank`
  const bank = createSandboxBank(sandboxBooks(db), {
    key: vault.derive('sandbox-bank'),
    address,
    // The bank is a house of its own: it reaches us, wherever we are.
    post: createOutbound(['loopback', new URL(baseUrl).host]).post,
  })
  return {
    world,
    config,
    baseUrl,
    localUrl,
    clock,
    log,
    db,
    vault,
    routes: readRoutes(world, routeSettingsOf(config, world)),
    bank,
    cards: createSandboxCards(cardBooks(db), { bank, address }),
    register: createSandboxRegister({
      take: (order, decide) => takeSandboxReceipt(db, order, decide),
      find: (register, reference) => findSandboxReceipt(db, register, reference),
    }),
    outbound: createOutbound(config.callbackAllow),
    buckets: config.redisUrl ? createSharedBuckets(config.redisUrl, log, `${world}:`) : createMemoryBuckets(),
    metrics: NO_METRICS,
    readinessBlockers: async () => ((await isDatabaseReady(db)) ? [] : ['the database does not answer']),
  }
}

/** ROUTE_* settings make the routes of MODE's world; beside a live world, SANDBOX_ROUTE_* make the sandbox's. */
function routeSettingsOf({ mode, routeSettings, sandboxRouteSettings }: Config, world: World) {
  return world === mode ? routeSettings : sandboxRouteSettings
}

function sandboxBooks(db: Context['db']): BankBooks {
  return {
    find: (reference) => findSandboxOrder(db, reference),
    insert: (reference, page) => insertSandboxOrder(db, reference, page),
    change: (reference, change) => changeSandboxOrder(db, reference, change),
    listDue: (now, limit) => listDueSandboxOrders(db, now, limit),
    nextDueAt: () => findNextSandboxDeed(db),
    claimCallbacks: (now, leaseUntil, limit) => claimSandboxCallbacks(db, now, leaseUntil, limit),
    noteCallback: (callback, attempt) => noteSandboxCallback(db, callback, attempt),
  }
}

function cardBooks(db: Context['db']): CardBooks {
  return {
    find: (reference) => findSandboxCard(db, reference),
    insert: (reference, card) => insertSandboxCard(db, reference, card),
    change: (reference, change) => changeSandboxCard(db, reference, change),
  }
}

/**
 * The keys that open secrets, newest first. The key that was made in DATA_DIR stays the oldest, so that secrets that were
 * sealed before SECRETS_KEY was set still open.
 */
async function readSecretsKeys({ secretsKeys }: Config, dataDir: string): Promise<string[]> {
  const file = join(dataDir, 'secrets-key')
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (kept) return [...new Set([...secretsKeys, kept])]
  if (secretsKeys.length > 0) return secretsKeys
  const key = randomBytes(32).toString('base64')
  await mkdir(dataDir, { recursive: true })
  // Two processes that start at once agree on whichever came first.
  await writeFile(file, `${key}\n`, { flag: 'wx', mode: 0o600 }).catch(() => {})
  await chmod(file, 0o600)
  return [(await readFile(file, 'utf8')).trim()]
}

/** @throws AppError when a stored secret was sealed under a key that is not given */
async function expectKeysOpen(db: Db, vault: Vault): Promise<void> {
  const missing = (await listSealingKeys(db)).filter((keyId) => !vault.keyIds.includes(keyId))
  if (missing.length > 0)
    throw new AppError('storage_unavailable', {
      message:
        `SECRETS_KEY does not open secrets in this database that were sealed under the key ${missing.join(', ')}. ` +
        'Add that key behind the newer one: SECRETS_KEY=NEWER,EARLIER.',
    })
}
