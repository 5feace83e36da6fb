/**
 * Opens the database of a deployment, which is embedded unless DATABASE_URL is set. Changes nothing in the database. Version 0.1 stored
 * root's data in another default directory, and a live service must not silently start on an empty database.
 */
import type { Config } from '../config.ts'
import type { World } from '../contract/health.ts'
import { START } from '../invocation.ts'
import type { Log } from '../log/log.ts'
import { defaultDataDir, findEarlierData, hasCluster, startEmbedded } from '../postgres/embedded.ts'
import { EmbeddedError } from '../postgres/error.ts'
import { runAsSuperuser } from '../postgres/role.ts'
import { nameOf } from '../settings/table.ts'
import { type Db, openDb } from '../storage/db.ts'
import { checkDisk, type Machine, THIS_MACHINE } from './machine.ts'

/** The smallest pool. The start keeps one connection open while the job queue's migrations need another. */
const POOL_LEAST = 2
/** The direct connections that the job queue of a world needs beside a pooler: one to listen, one to fetch and one to finish jobs. */
const JOBS_POOL_MAX = 3

/** The two pools of a world. They are the same pool unless there is a pooler such as pgbouncer. */
type WorldPools = { db: Db; jobsDb: Db }
export type Database = {
  config: Config
  dataDir: string
  worlds: readonly World[]
  /** The pools of MODE's world. */
  main: WorldPools
  open(world: World): WorldPools
  /** How many connections this process may open to the database itself, not to a pooler. */
  mostConnections: number
  /** Runs statements as the superuser of the embedded PostgreSQL. Another server has none that we know. */
  asSuperuser?: (statements: string) => Promise<void>
  /** Ends all pools, and the embedded PostgreSQL if nobody else uses it. */
  close(): Promise<void>
}

type DatabaseOptions = {
  /** False for the operator's commands. They do not restart an embedded PostgreSQL that was killed. */
  own: boolean
  /** False for commands that would find nothing in a new embedded database. */
  mayCreate: boolean
  log: Log
  /** Receives lines about slow steps of the start, and warnings. */
  onProgress(line: string): void
  machine?: Machine
}

/** @throws Error whose message is one line that says what to do */
export async function openDatabase(
  config: Config,
  { own, mayCreate, log, onProgress, machine = THIS_MACHINE }: DatabaseOptions,
): Promise<Database> {
  const dataDir = config.dataDir ?? defaultDataDir()
  const isEmbedded = config.databaseUrl === undefined
  if (isEmbedded) {
    await warnOfEarlierData(config, 'postgres', { dataDir, onProgress })
    if (!mayCreate && !(await hasCluster(dataDir))) throw noDatabase(config)
    if (own) await checkDisk(dataDir, machine, onProgress)
  }
  const embedded = isEmbedded ? await startEmbedded({ dataDir, revive: own, onProgress }) : null
  const url = config.databaseUrl ?? embedded?.url ?? ''
  // Without DATABASE_URL the service uses the embedded PostgreSQL, which has no pooler.
  const directUrl = config.databaseUrl && config.databaseDirectUrl
  let closing = false
  const pools: Db[] = []
  const openPool = (address: string, options: { world: World; max: number; pooled?: boolean }) => {
    // While the service closes, it ends its connections itself, so nothing is logged.
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
    ...(embedded && {
      asSuperuser: (statements: string) => runAsSuperuser(dataDir, embedded.url, statements),
    }),
    mostConnections: directUrl === undefined ? sizes.sandbox + sizes.live : worlds.length * JOBS_POOL_MAX,
    async close() {
      closing = true
      await Promise.all(pools.map((db) => db.end()))
      await embedded?.stop()
    },
  }
}

const [DATA_DIR, DATABASE_URL] = [nameOf('dataDir'), nameOf('databaseUrl')]

/** Says which folder is used, and why that one: the service often has another, with another setting or folder. */
function folderOf({ dataDir }: Pick<Config, 'dataDir'>): string {
  const why = dataDir ? `${DATA_DIR} names it` : `neither ${DATA_DIR} nor ${DATABASE_URL} is set`
  return `${dataDir ?? defaultDataDir()} (${why})`
}

/** Says which database is used, without its password: `the database kassa on db.example:5432 (DATABASE_URL names it)`. */
export function placeOf({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  if (databaseUrl === undefined) return folderOf({ dataDir })
  const { pathname, host, searchParams } = new URL(databaseUrl)
  const server = searchParams.get('host') ?? (decodeURIComponent(host) || 'this machine')
  return `the database ${decodeURIComponent(pathname.slice(1))} on ${server} (${DATABASE_URL} names it)`
}

function noDatabase(config: Config): EmbeddedError {
  return new EmbeddedError(
    `There is no database in ${folderOf(config)}, and this command creates none.`,
    ` Set ${DATA_DIR} or ${DATABASE_URL} as for your service: when it is ready, it prints where its database is. For a new service, start it first: ${START}`,
  )
}

/** In live mode the sandbox gets a third of the connections, so that it can never take them all from real payments. */
function shareConnections({ mode, poolMax }: Config): Record<World, number> {
  if (mode === 'sandbox') return { sandbox: poolMax, live: 0 }
  const sandbox = Math.max(POOL_LEAST, Math.floor(poolMax / 3))
  return { sandbox, live: Math.max(POOL_LEAST, poolMax - sandbox) }
}

/** Warns about data of an earlier version in the old directory. @throws EmbeddedError in live mode */
export async function warnOfEarlierData(
  config: Config,
  what: 'postgres' | 'secrets-key',
  { dataDir, onProgress }: { dataDir: string; onProgress(line: string): void },
): Promise<void> {
  const earlier = config.dataDir ? null : await findEarlierData(what, dataDir)
  if (!earlier) return
  const setting = nameOf('dataDir')
  const line = `${earlier} has the data of an earlier version. For root, each checkout now has its own data directory: ${dataDir}.`
  if (config.mode === 'live')
    throw new EmbeddedError(`${line} Set ${setting} to the directory that this service should use.`)
  onProgress(`${line} To use the earlier data, set ${setting}=${earlier}.`)
}
