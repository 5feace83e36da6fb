/** Opens the database of a deployment: an embedded one unless DATABASE_URL names another. Nothing in it is changed. */
import type { Config } from '../config.ts'
import type { World } from '../contract/health.ts'
import type { Log } from '../log.ts'
import { defaultDataDir, startEmbedded } from '../postgres/embedded.ts'
import { type Db, openDb } from '../storage/db.ts'
import { warnOfEarlierData } from './earlier-data.ts'
import { checkDisk, type Machine, THIS_MACHINE } from './machine.ts'

/** The least that a pool needs: the start holds one connection while the queue's own migrations ask for another. */
const POOL_LEAST = 2
/** Past a pooler the job queue of a world needs one connection that listens, and one each to fetch and to finish jobs. */
const JOBS_POOL_MAX = 3

/** The two pools of a world. They are one pool unless a pooler such as pgbouncer stands before the database. */
export type WorldPools = { db: Db; jobsDb: Db }
export type Database = {
  config: Config
  dataDir: string
  worlds: readonly World[]
  /** The pools of MODE's world. */
  main: WorldPools
  open(world: World): WorldPools
  /** How many connections this process may open past any pooler. */
  mostConnections: number
  /** Ends all pools, and the embedded PostgreSQL if nobody else uses it. */
  close(): Promise<void>
}

export type DatabaseOptions = {
  /** False for a visitor (the operator's commands), which does not start a database again that was killed. */
  own: boolean
  log: Log
  /** Takes lines about slow steps of the start, and warnings. */
  onProgress(line: string): void
  machine?: Machine
}

/** @throws Error with one line that says what to do */
export async function openDatabase(
  config: Config,
  { own, log, onProgress, machine = THIS_MACHINE }: DatabaseOptions,
): Promise<Database> {
  const dataDir = config.dataDir ?? defaultDataDir()
  const isEmbedded = config.databaseUrl === undefined
  if (isEmbedded) {
    await warnOfEarlierData(config, 'postgres', { dataDir, onProgress })
    if (own) await checkDisk(dataDir, machine, onProgress)
  }
  const embedded = isEmbedded ? await startEmbedded({ dataDir, revive: own, onProgress }) : null
  const url = config.databaseUrl ?? embedded?.url ?? ''
  // Without DATABASE_URL the embedded PostgreSQL serves, and no pooler stands before it.
  const directUrl = config.databaseUrl && config.databaseDirectUrl
  let closing = false
  const pools: Db[] = []
  const openPool = (address: string, options: { world: World; max: number; pooled?: boolean }) => {
    // While the service closes, connections end because we end them.
    const onError = (error: Error) =>
      closing || log.warn({ err: error, world: options.world }, 'database connection lost')
    const db = openDb(address, { ...options, onError })
    pools.push(db)
    return db
  }
  const sizes = shareConnections(config)
  const open = (world: World): WorldPools => {
    const db = openPool(url, { world, max: sizes[world], pooled: directUrl !== undefined })
    return { db, jobsDb: directUrl === undefined ? db : openPool(directUrl, { world, max: JOBS_POOL_MAX }) }
  }
  const worlds = config.mode === 'live' ? (['sandbox', 'live'] as const) : (['sandbox'] as const)
  return {
    config,
    dataDir,
    worlds,
    main: open(config.mode),
    open,
    mostConnections: directUrl === undefined ? sizes.sandbox + sizes.live : worlds.length * JOBS_POOL_MAX,
    async close() {
      closing = true
      await Promise.all(pools.map((db) => db.end()))
      await embedded?.stop()
    },
  }
}

/** Beside a live world the sandbox gets a third of the connections, so that it can never starve real payments. */
function shareConnections({ mode, poolMax }: Config): Record<World, number> {
  if (mode === 'sandbox') return { sandbox: poolMax, live: 0 }
  const sandbox = Math.max(POOL_LEAST, Math.floor(poolMax / 3))
  return { sandbox, live: Math.max(POOL_LEAST, poolMax - sandbox) }
}
