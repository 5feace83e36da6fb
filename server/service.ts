/**
 * Opens a deployment from its settings: the database, the keys, and a context for each world that it serves. The server and
 * the operator's commands share it.
 */
import { followSandboxClock } from './clock.ts'
import type { Config } from './config.ts'
import { type Context, listWorlds, type Worlds } from './context.ts'
import type { World } from './contract/health.ts'
import { AppError } from './errors.ts'
import { createWorldShare } from './limits/world-share.ts'
import { createLog } from './log.ts'
import { defaultDataDir, findEarlierData, startEmbedded } from './postgres/embedded.ts'
import { EmbeddedError } from './postgres/error.ts'
import { expectKeysOpen, readSecretsKeys } from './secrets-keys.ts'
import { nameOf } from './settings/table.ts'
import { type Db, openDb } from './storage/db.ts'
import { hasLiveWorld, migrate } from './storage/migrate.ts'
import { createVault } from './vault.ts'
import { createContext } from './world.ts'

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
  if (!config.databaseUrl) await warnOfEarlierData(config, 'postgres', { dataDir, onProgress })
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
    const vault = createVault(
      await readSecretsKeys(config, dataDir, () =>
        warnOfEarlierData(config, 'secrets-key', { dataDir, onProgress }),
      ),
    )
    for (const pool of pools) await expectKeysOpen(pool, vault)
    const following = await followSandboxClock(sandboxDb, log)
    stopFollowing = following.stop
    const parts = {
      log,
      vault,
      localUrl: localUrl ?? `http://localhost:${config.port}`,
      isServing: localUrl !== undefined,
    }
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
