/**
 * The storage room: SQL and nothing else. Every function takes a Db or a Tx first.
 * Rule: one verb a function, the statement as visible text, named so that PostgreSQL parses it once a connection.
 */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'

/** The world that a connection works for. It stands in the text of each statement, never in the session's state. */
type InWorld = { world: World; named: boolean }
export type Db = pg.Pool & InWorld
/** A client inside a transaction. */
export type Tx = pg.PoolClient & InWorld
export type Queryable = Pick<pg.PoolClient, 'query'> & InWorld

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 15_000
/** The client gives up a little later than the server: only a connection that is dead gets this far. */
const QUERY_TIMEOUT_MS = 20_000
const IDLE_TIMEOUT_MS = 30_000
const INT8_OID = 20
/** How often a transaction runs that others are in the way of, and the pause after its first run. Each pause is longer. */
const RUNS_MAX = 5
const RUN_PAUSE_MS = 20
/**
 * Every statement here finds its rows by key. PostgreSQL makes a plan once a connection, perhaps while a table is still
 * empty, and that plan must not read the whole table later: without these settings, finishing a creation took nine times as
 * long after 14,000 payments. Behind a pooler there are no prepared plans, and so no settings.
 */
const PLANNING = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off'

/** Tells this process's connections from those of other processes of Kassa. */
export const APPLICATION = `kassa ${hostname()} ${process.pid}`.slice(0, 60)

/** Amounts are bounded far below 2^53 by constraints, so an int8 is a safe integer. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

export type PoolOptions = {
  world: World
  max?: number
  /** True when a pooler in transaction mode stands before the database: it forgets settings and prepared statements. */
  pooled?: boolean
  /** How long the client waits for an answer, in case its connection is dead. */
  queryTimeoutMs?: number
  onError?: (error: Error) => void
}

/** Opens a pool for one world. Both listeners are needed: an unheard error of an idle client would end the process. */
export function openDb(
  url: string,
  { world, max = 10, pooled = false, queryTimeoutMs = QUERY_TIMEOUT_MS, onError = () => {} }: PoolOptions,
): Db {
  const inWorld: InWorld = { world, named: !pooled }
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    types,
    // A pooler takes neither of these at connecting: it shares its sessions.
    ...(pooled
      ? { query_timeout: STATEMENT_TIMEOUT_MS }
      : {
          // Also for begin and commit: a network that swallows packets never lets them end.
          query_timeout: queryTimeoutMs,
          statement_timeout: STATEMENT_TIMEOUT_MS,
          options: PLANNING,
          application_name: APPLICATION,
        }),
  })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    Object.assign(client, inWorld)
    client.on('error', onError)
  })
  return Object.assign(pool, inWorld)
}

/**
 * Runs `work` on a connection of its own, whose statements may take hours: migrations and backups. `db` must lead to the database
 * itself, past any pooler. @throws AppError storage_unavailable
 */
export async function withoutTimeLimits<T>(db: Db, work: (client: Tx) => Promise<T>): Promise<T> {
  const pool = openDb(db.options.connectionString ?? '', { world: db.world, max: 1, queryTimeoutMs: 0 })
  try {
    const client = await connect(pool)
    try {
      await client.query('set statement_timeout = 0')
      return await work(client)
    } finally {
      // A copy may have ended in the middle of its protocol.
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

/** Writes the world's schemas into a text: `world.payments` becomes `live.payments`, `world_jobs.jobs` `live_jobs.jobs`. */
export function inWorld(text: string, world: World): string {
  return text.replaceAll(/\bworld(_jobs)?(?=\.)/g, `${world}$1`)
}

/**
 * A named statement as a function of its values. Its text says `world.` before the tables of a world, `kassa.` before what
 * both worlds share.
 * @throws AppError storage_unavailable when the database cannot be reached; other database errors as they are.
 */
export function statement<Row extends pg.QueryResultRow>(name: string, text: string) {
  const texts: Record<World, { name: string; text: string }> = {
    sandbox: { name: `sandbox.${name}`, text: inWorld(text, 'sandbox') },
    live: { name: `live.${name}`, text: inWorld(text, 'live') },
  }
  return async (db: Queryable, values: unknown[]): Promise<Row[]> => {
    const own = texts[db.world]
    try {
      const query = { text: own.text, values, query_timeout: QUERY_TIMEOUT_MS }
      return (await db.query<Row>(db.named ? { ...query, name: own.name } : query)).rows
    } catch (error) {
      throw asStorageError(error)
    }
  }
}

/** A client of its own, to be released. @throws AppError storage_unavailable */
export async function connect(db: Db): Promise<Tx> {
  try {
    return (await db.connect()) as Tx
  } catch (error) {
    throw asStorageError(error)
  }
}

/**
 * Runs `work` in one transaction. If PostgreSQL rolls it back because another transaction was in its way, `work` runs again, up
 * to RUNS_MAX times in all: so it must change nothing but the database. Any other error does not prove that nothing was
 * committed.
 * @throws AppError request_in_progress after the last run
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs++) {
    try {
      return await runOnce(db, work)
    } catch (error) {
      if (!isRolledBackConflict(error)) throw error
      if (runs >= RUNS_MAX)
        throw new AppError('request_in_progress', { retryAfterSeconds: 2, cause: error as Error })
      await sleep(RUN_PAUSE_MS * runs)
    }
  }
}

async function runOnce<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await connect(db)
  try {
    await tx.query('begin')
    const result = await work(tx)
    await tx.query('commit')
    tx.release()
    return result
  } catch (error) {
    const lost = await tx.query('rollback').then(
      () => false,
      () => true,
    )
    tx.release(lost)
    throw asStorageError(error)
  }
}

/** Within this transaction, waiting for somebody else's lock ends after `ms` with request_in_progress. */
export async function limitLockWait(tx: Tx, ms: number): Promise<void> {
  await tx.query(`set local lock_timeout = ${Math.trunc(ms)}`)
}

/** A deadlock, and a conflict of serializable transactions: PostgreSQL has rolled this transaction back, and another goes on. */
const CONFLICT_CODES = ['40P01', '40001']

function isRolledBackConflict(error: unknown): boolean {
  return error instanceof Error && CONFLICT_CODES.includes((error as { code?: string }).code ?? '')
}

const LOCK_NOT_AVAILABLE = '55P03'
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '53100',
  '57014',
])
const UNAVAILABLE_MESSAGE =
  /connection terminated|timeout exceeded|query read timeout|connection error|not queryable|client was closed/i

/** Tells a database that cannot be reached from a statement that was wrong. */
function asStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const code = (error as { code?: string }).code ?? ''
  if (code === LOCK_NOT_AVAILABLE)
    return new AppError('request_in_progress', { retryAfterSeconds: 2, cause: error })
  const away = UNAVAILABLE_CODES.has(code) || code.startsWith('08') || UNAVAILABLE_MESSAGE.test(error.message)
  return away ? new AppError('storage_unavailable', { retryAfterSeconds: 2, cause: error }) : error
}
