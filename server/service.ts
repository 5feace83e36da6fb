/** Puts a context together from settings: database, keys, routes, ways out. The server, the operator's commands and tests share it. */
import { randomBytes } from 'node:crypto'
import { access, chmod, constants, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { followSandboxClock } from './clock.ts'
import type { Config } from './config.ts'
import { type Context, systemClock } from './context.ts'
import { createSharedBuckets } from './limits/shared-buckets.ts'
import { createMemoryBuckets } from './limits/token-bucket.ts'
import { createLog } from './log.ts'
import { NO_METRICS } from './metrics/metrics.ts'
import { createOutbound } from './outbound.ts'
import { defaultDataDir, findEarlierData, startEmbedded } from './postgres/embedded.ts'
import { EmbeddedError, explainFileError } from './postgres/error.ts'
import { createSandboxRegister } from './providers/fiscal/sandbox/register.ts'
import { createSandboxBank } from './providers/sandbox/simulator/bank.ts'
import { type CardBooks, createSandboxCards } from './providers/sandbox/simulator/cards.ts'
import type { BankBooks } from './providers/sandbox/simulator/order.ts'
import { readRoutes } from './settings/routes.ts'
import { nameOf } from './settings/table.ts'
import { openDb } from './storage/db.ts'
import { migrate } from './storage/migrate.ts'
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
import { createVault } from './vault.ts'

export type Service = {
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
 * the context. @throws Error with one line that says what to do.
 */
export async function openService(
  config: Config,
  { onProgress, own = true, localUrl, logTo = 'stdout' }: OpenOptions = {},
): Promise<Service> {
  const dataDir = config.dataDir ?? defaultDataDir()
  if (!config.databaseUrl) await warnOfEarlierData(config, 'postgres', { dataDir, onProgress })
  const embedded = config.databaseUrl
    ? null
    : await startEmbedded({ dataDir, revive: own, ...(onProgress && { onProgress }) })
  const log = createLog(config.logLevel, logTo)
  const db = openDb(config.databaseUrl ?? embedded?.url ?? '', {
    max: config.poolMax,
    // While the service closes, connections end because we end them.
    onError: (error) => closing || log.warn({ err: error }, 'database connection lost'),
  })
  let closing = false
  let stopFollowing = () => {}
  const close = async () => {
    closing = true
    stopFollowing()
    await db.end()
    await embedded?.stop()
  }
  try {
    const [firstApplied] = await migrate(db)
    const secretsKey =
      config.secretsKey ??
      (await keepSecretsKey(dataDir, () => warnOfEarlierData(config, 'secrets-key', { dataDir, onProgress })))
    const following = config.mode === 'sandbox' ? await followSandboxClock(db, log) : null
    if (following) stopFollowing = following.stop
    const ctx = createContext(config, {
      db,
      log,
      secretsKey,
      clock: following?.clock ?? systemClock,
      localUrl: localUrl ?? `http://localhost:${config.port}`,
    })
    return {
      ctx,
      dataDir,
      isNew: firstApplied?.startsWith('0001_') ?? false,
      announceLeaving: () => announceLeaving(ctx),
      close: () => {
        ctx.buckets.close()
        return close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Root's data had another default place in version 0.1. A live service must not start on an empty database unnoticed.
 * @throws EmbeddedError in live mode
 */
async function warnOfEarlierData(
  config: Config,
  what: 'postgres' | 'secrets-key',
  { dataDir, onProgress }: { dataDir: string; onProgress: ((line: string) => void) | undefined },
): Promise<void> {
  const earlier = config.dataDir ? null : await findEarlierData(what, dataDir)
  if (!earlier) return
  const setting = nameOf('dataDir')
  const line = `${earlier} has the data of an earlier version. Root's data now has a directory for each checkout: ${dataDir}.`
  if (config.mode === 'live')
    throw new EmbeddedError(`${line} Set ${setting} to the directory that this service is to use.`)
  onProgress?.(`${line} To use the earlier data, set ${setting}=${earlier}.`)
}

function announceLeaving(ctx: Context): void {
  ctx.readinessBlockers = async () => ['the service is shutting down']
}

type Parts = Pick<Context, 'db' | 'log' | 'localUrl'> & { secretsKey: string; clock?: Context['clock'] }

export function createContext(
  config: Config,
  { db, log, secretsKey, localUrl, clock = systemClock }: Parts,
): Context {
  const vault = createVault(secretsKey)
  const baseUrl = config.baseUrl ?? localUrl
  const address = `${baseUrl}/sandbox/bank`
  const bank = createSandboxBank(sandboxBooks(db), {
    key: vault.derive('sandbox-bank'),
    address,
    // The bank is a house of its own: it reaches us, wherever we are.
    post: createOutbound(['loopback', new URL(baseUrl).host]).post,
  })
  return {
    config,
    baseUrl,
    localUrl,
    clock,
    log,
    db,
    vault,
    routes: readRoutes(config.mode, config.routeSettings),
    bank,
    cards: createSandboxCards(cardBooks(db), { bank, address }),
    register: createSandboxRegister({
      take: (order, decide) => takeSandboxReceipt(db, order, decide),
      find: (register, reference) => findSandboxReceipt(db, register, reference),
    }),
    outbound: createOutbound(config.callbackAllow),
    buckets: config.redisUrl ? createSharedBuckets(config.redisUrl, log) : createMemoryBuckets(),
    metrics: NO_METRICS,
    readinessBlockers: async () => ((await isDatabaseReady(db)) ? [] : ['the database does not answer']),
  }
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

/** With a database elsewhere nothing else creates the data directory. @throws EmbeddedError */
export async function makeDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
    .then(() => access(dataDir, constants.W_OK))
    .catch((error: unknown) => {
      throw explainFileError(error, dataDir)
    })
}

/** The key that seals secrets when the operator gives none (sandbox mode only): made once, kept beside the data. */
async function keepSecretsKey(dataDir: string, beforeMaking: () => Promise<void>): Promise<string> {
  const file = join(dataDir, 'secrets-key')
  const known = await readFile(file, 'utf8').catch(() => null)
  if (known) return known.trim()
  await beforeMaking()
  const key = randomBytes(32).toString('base64')
  await makeDataDir(dataDir)
  // Two processes that start at once agree on whichever came first.
  await writeFile(file, `${key}\n`, { flag: 'wx', mode: 0o600 }).catch(() => {})
  await chmod(file, 0o600)
  return (await readFile(file, 'utf8')).trim()
}
