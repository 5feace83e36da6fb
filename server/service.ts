/**
 * Opens a deployment from its settings: the database, the keys, and a context for each world that it serves. The server and
 * the operator's commands share it.
 */
import { storeOwnAccounts } from './accounts/deployment.ts'
import { followSandboxClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Context, Worlds } from './context.ts'
import type { World } from './contract/health.ts'
import { AppError } from './errors.ts'
import { createWorldShare } from './limits/world-share.ts'
import { createLog } from './log.ts'
import { defaultDataDir, findEarlierData, startEmbedded } from './postgres/embedded.ts'
import { EmbeddedError } from './postgres/error.ts'
import { expectKeysOpen, readSealingKeys, readSecretsKeys } from './secrets-keys.ts'
import { nameOf } from './settings/table.ts'
import { findMove } from './storage/backup/facts.ts'
import { type Db, openDb } from './storage/db.ts'
import { hasLiveWorld, migrate } from './storage/migrate.ts'
import { identifyDatabase, keepsSessionSettings } from './storage/pooler.ts'
import { listUsedKeyIds } from './storage/used-keys.ts'
import { createVault } from './vault.ts'
import { createContext } from './world.ts'
import { listWorlds } from './worlds.ts'

/** The least that a pool needs: the start holds one connection while the queue's own migrations ask for another. */
const POOL_LEAST = 2
/** Past a pooler the job queue of a world needs one connection that listens, and one each to fetch and to finish jobs. */
const JOBS_POOL_MAX = 3

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
  if (!config.databaseUrl) await warnOfEarlierData(config, 'postgres', { dataDir, onProgress })
  const embedded = config.databaseUrl
    ? null
    : await startEmbedded({ dataDir, revive: own, ...(onProgress && { onProgress }) })
  const log = createLog(config.logLevel, logTo)
  let closing = false
  const pools: Db[] = []
  // Without DATABASE_URL the embedded PostgreSQL serves, and no pooler stands before it.
  const directUrl = config.databaseUrl && config.databaseDirectUrl
  const openPool = (url: string, options: { world: World; max: number; pooled?: boolean }) => {
    // While the service closes, connections end because we end them.
    const onError = (error: Error) =>
      closing || log.warn({ err: error, world: options.world }, 'database connection lost')
    const db = openDb(url, { ...options, onError })
    pools.push(db)
    return db
  }
  const open = (world: World, max: number) =>
    openPool(config.databaseUrl ?? embedded?.url ?? '', { world, max, pooled: directUrl !== undefined })
  const openJobs = (db: Db) =>
    directUrl === undefined ? db : openPool(directUrl, { world: db.world, max: JOBS_POOL_MAX })
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
    const jobsDb = openJobs(db)
    const isNew = await prepare(config, {
      db,
      direct: jobsDb,
      own,
      // A command does not repeat at each run what the service has said at its start.
      warn: (line) => own && onProgress?.(`Warning: ${line}`),
    }).catch(explainPooler)
    const sandboxDb = config.mode === 'sandbox' ? db : open('sandbox', sizes.sandbox)
    const dbs = [...new Set([db, sandboxDb])]
    const sealing = await readSealingKeys(dbs)
    const { keys, kept } = await readSecretsKeys(config, dataDir, {
      used: (await Promise.all(dbs.map(listUsedKeyIds))).flat(),
      beforeMaking: () => warnOfEarlierData(config, 'secrets-key', { dataDir, onProgress }),
    })
    const vault = createVault(keys, kept)
    expectKeysOpen(sealing, vault)
    const following = await followSandboxClock(sandboxDb, log)
    stopFollowing = following.stop
    const parts = {
      log,
      vault,
      localUrl: localUrl ?? `http://localhost:${config.port}`,
      isServing: localUrl !== undefined,
    }
    const worlds: Worlds = {
      sandbox: createContext(config, {
        ...parts,
        db: sandboxDb,
        jobsDb: sandboxDb === db ? jobsDb : openJobs(sandboxDb),
        clock: following.clock,
      }),
      ...(config.mode === 'live' && {
        live: createContext(config, { ...parts, db, jobsDb }),
        share: createWorldShare(),
      }),
    }
    for (const each of listWorlds(worlds)) await storeOwnAccounts(each, { visits: !own })
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
        return Promise.all(listWorlds(worlds).map((each) => each.exchangeLog.flush())).then(close)
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

/**
 * Migrates `direct`, which is `db` unless a pooler stands before the database. Returns whether the database was empty.
 * @throws AppError when the settings do not fit what the database holds
 */
async function prepare(
  config: Config,
  { db, direct, own, warn }: { db: Db; direct: Db; own: boolean; warn(line: string): void },
): Promise<boolean> {
  if (config.mode === 'sandbox' && (await hasLiveWorld(direct))) {
    if (!config.isModeSet)
      throw new AppError('storage_unavailable', {
        message:
          'This database holds a live world, and MODE is not set. Set MODE=live to serve real payments, or MODE=sandbox to serve only the sandbox.',
      })
    warn(
      'This database holds a live world, and MODE=sandbox serves only the sandbox: real payments are not taken, followed or told to merchants. Set MODE=live to serve both.',
    )
  }
  const applied = await migrateWhereItLeads(config, { db, direct })
  const target = own ? await findMove(direct) : null
  if (target !== null)
    throw new AppError('storage_unavailable', {
      message: `Everything in this database was moved to ${target}. Set ${nameOf('databaseUrl')} to that database. To use this one again, run: database reopen`,
    })
  return applied.some((name) => name.startsWith('kassa/0001_'))
}

async function migrateWhereItLeads(
  config: Config,
  { db, direct }: { db: Db; direct: Db },
): Promise<string[]> {
  if (direct === db && !(await keepsSessionSettings(db))) throw poolerFound()
  const applied = await migrate(direct, config.mode === 'live' ? ['sandbox', 'live'] : ['sandbox'])
  if (direct !== db && (await identifyDatabase(direct)) !== (await identifyDatabase(db)))
    throw new AppError('storage_unavailable', {
      message: `${nameOf('databaseDirectUrl')} and ${nameOf('databaseUrl')} lead to two databases. Both must name the same one, past the pooler and through it.`,
    })
  return applied
}

/** A pooler refuses the settings that each connection asks for, unless DATABASE_DIRECT_URL says that it is there. */
function explainPooler(error: unknown): never {
  const cause = error instanceof AppError ? error.cause : undefined
  if (cause instanceof Error && /unsupported startup parameter/.test(cause.message)) throw poolerFound()
  throw error
}

function poolerFound(): AppError {
  return new AppError('storage_unavailable', {
    message:
      `${nameOf('databaseUrl')} leads to a pooler such as pgbouncer, which shares its sessions. ` +
      `Set ${nameOf('databaseDirectUrl')} to the address of the database itself: migrations and the job queue go there.`,
  })
}
