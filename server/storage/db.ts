/**
 * The base of all storage files, which contain only SQL. The first parameter of every function is a Db or a Tx.
 * Rule: each function does one thing. Its statement is visible text with a name, so PostgreSQL parses it once per connection.
 */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { collectAfterCommit } from './after-commit.ts'
import { formsOf } from './statement-forms.ts'
import { asStorageError, isRolledBackConflict } from './storage-error.ts'

export { asStorageError } from './storage-error.ts'

/**
 * The world that a connection works for. Each statement's text names it. The session's state does not, because a pooler shares
 * sessions.
 */
type InWorld = { world: World; named: boolean }
/**
 * What surrounds each transaction of a pool. `begin`: the statement that begins it. `end` runs last in it. A query outside of a
 * transaction gets one of its own, so nothing is changed without the surroundings.
 */
export type TransactionFrame = { begin: string; end(tx: Tx): Promise<void> }
export type Db = pg.Pool & InWorld & { bracket?: TransactionFrame }
/** A client inside a transaction. */
export type Tx = pg.PoolClient & InWorld
export type Queryable = Pick<pg.PoolClient, 'query'> & InWorld

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 15_000
/** The client's time limit is a little longer than the server's, so only a dead connection reaches it. */
const QUERY_TIMEOUT_MS = 20_000
const IDLE_TIMEOUT_MS = 30_000
/**
 * How many connections stay open however long they are idle. A new one takes several milliseconds and has to parse every statement
 * anew, so the first requests after a pause would be slow.
 */
const KEPT_MAX = 4
const INT8_OID = 20
/**
 * How often a transaction runs if it conflicts with others, and the pause after the first run. Each pause is longer than the
 * last.
 */
const RUNS_MAX = 5
const RUN_PAUSE_MS = 20
/**
 * Every statement finds its rows by key. PostgreSQL plans a statement once per connection, perhaps while the table is still
 * empty, and that plan must not read the whole table later. Without these settings, finishing a creation took nine times as
 * long after 14,000 payments. Behind a pooler there are no prepared plans, so no settings are needed.
 */
const PLANNING = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off'

/** The name of this process's connections in pg_stat_activity. Other processes of Kassa have other names. */
export const APPLICATION = `kassa ${hostname()} ${process.pid}`.slice(0, 60)

/** Constraints keep amounts far below 2^53, so an int8 is a safe integer. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

export type PoolOptions = {
  world: World
  max?: number
  /** True if connections go through a pooler in transaction mode, which forgets settings and prepared statements. */
  pooled?: boolean
  /** How long the client waits for a response, in case its connection is dead. */
  queryTimeoutMs?: number
  /** How long a connection, and a statement on the server, may take. For callers that give up soon. */
  withinMs?: number
  onError?: (error: Error) => void
}

/** Opens a pool for one world. Both error listeners are needed: an unhandled error of an idle client would end the process. */
export function openDb(
  url: string,
  {
    world,
    max = 10,
    pooled = false,
    queryTimeoutMs = QUERY_TIMEOUT_MS,
    withinMs,
    onError = () => {},
  }: PoolOptions,
): Db {
  const inWorld: InWorld = { world, named: !pooled }
  const pool = new pg.Pool({
    connectionString: url,
    max,
    min: Math.min(max, KEPT_MAX),
    connectionTimeoutMillis: withinMs ?? CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    types,
    // A pooler shares its sessions, so it rejects both of these settings in a connection request.
    ...(pooled
      ? { query_timeout: STATEMENT_TIMEOUT_MS }
      : {
          // This also limits begin and commit, which never end if the network drops packets.
          query_timeout: queryTimeoutMs,
          statement_timeout: withinMs ?? STATEMENT_TIMEOUT_MS,
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

/** Opens a small pool on the same database for a world that this deployment does not serve. The caller must end it. */
export function openOtherWorld(db: Db, world: World): Db {
  return openDb(db.options.connectionString ?? '', { world, max: 1, pooled: !db.named })
}

/**
 * Runs `work` on a connection of its own. Its statements may take hours, as those of migrations and backups do. `db` must connect
 * to the database directly and not through a pooler. @throws AppError storage_unavailable
 */
export async function withoutTimeLimits<T>(db: Db, work: (client: Tx) => Promise<T>): Promise<T> {
  const pool = openDb(db.options.connectionString ?? '', { world: db.world, max: 1, queryTimeoutMs: 0 })
  try {
    const client = await connect(pool)
    try {
      await client.query('set statement_timeout = 0')
      return await work(client)
    } finally {
      // A copy may have stopped in the middle of its protocol, so the connection cannot be used again.
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

/**
 * Replaces the world's schemas in a text: `world.payments` becomes `live.payments`, and `world_jobs.jobs` becomes
 * `live_jobs.jobs`.
 */
export function inWorld(text: string, world: World): string {
  return text.replaceAll(/\bworld(_jobs)?(?=\.)/g, `${world}$1`)
}

/**
 * Returns a named statement as a function of its values. A room calls it in one of the forms of `statement-forms.ts`. In its text,
 * `world.` stands before the tables of a world and `kassa.` before the tables that both worlds share. `isPrepared: false`
 * is for filters that may be absent. PostgreSQL then plans each call for its values, because one plan for all of them would read the
 * whole table.
 * @throws AppError storage_unavailable if the database cannot be reached. Other database errors are thrown unchanged.
 */
export function statement<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
  { isPrepared = true } = {},
) {
  const texts: Record<World, { name: string; text: string }> = {
    sandbox: { name: `sandbox.${name}`, text: inWorld(text, 'sandbox') },
    live: { name: `live.${name}`, text: inWorld(text, 'live') },
  }
  const query = async (db: Queryable, values: unknown[]): Promise<Row[]> => {
    const own = texts[db.world]
    try {
      const query = { text: own.text, values, query_timeout: QUERY_TIMEOUT_MS }
      return (await db.query<Row>(db.named && isPrepared ? { ...query, name: own.name } : query)).rows
    } catch (error) {
      throw asStorageError(error)
    }
  }
  return Object.assign(query, formsOf(query))
}

/** Returns the pool with a bracket around each of its transactions. Its connections stay those of the pool. */
export function withFrame(db: Db, bracket: TransactionFrame): Db {
  const query = (text: string | pg.QueryConfig, values?: unknown[]) =>
    inTransaction(bracketed, (tx) => tx.query(text, values))
  const bracketed: Db = new Proxy(db, {
    get(pool, name) {
      if (name === 'bracket') return bracket
      if (name === 'query') return query
      const value = Reflect.get(pool, name)
      return typeof value === 'function' ? value.bind(pool) : value
    },
  })
  return bracketed
}

/** Returns a client, which the caller must release. @throws AppError storage_unavailable */
export async function connect(db: Db): Promise<Tx> {
  try {
    return (await db.connect()) as Tx
  } catch (error) {
    throw asStorageError(error)
  }
}

/**
 * Runs `work` in one transaction. If PostgreSQL rolls the transaction back because of a conflict with another one, `work` runs
 * again, up to RUNS_MAX times in all. So `work` must change only the database; everything else waits with `afterCommit`. After any
 * other error the transaction may have been committed.
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
  const finish = collectAfterCommit(tx)
  const result = await commit(tx, work, db.bracket)
  finish()
  return result
}

async function commit<T>(
  tx: Tx,
  work: (tx: Tx) => Promise<T>,
  bracket: TransactionFrame | undefined,
): Promise<T> {
  try {
    await tx.query(bracket?.begin ?? 'begin')
    const result = await work(tx)
    await bracket?.end(tx)
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

/** Limits how long this transaction waits for another one's lock. After `ms` it fails with request_in_progress. */
export async function limitLockWait(tx: Tx, ms: number): Promise<void> {
  await tx.query(`set local lock_timeout = ${Math.trunc(ms)}`)
}
