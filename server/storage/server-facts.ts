/** What a start or an examination asks of PostgreSQL: its clock, free connections, whether it can store, and whether a pooler is between. */

import { setTimeout as sleep } from 'node:timers/promises'
import { APPLICATION, connect, type Db, type Queryable, statement } from './db.ts'

// Only the database and the role of other roles' connections can be seen. Slots that are kept for superusers do not count.
const room = statement<{ free: number; own: number }>(
  'measure_room',
  `with activity as (select * from pg_stat_activity where datid is not null)
   select (select count(*) from activity where application_name = $1 and datname = current_database())::int as own,
     least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0) - (select count(*) from activity),
       (select rolconnlimit - (select count(*) from activity where usesysid = r.oid)
        from pg_roles r where rolname = current_user and rolconnlimit >= 0),
       (select datconnlimit - (select count(*) from activity where datid = d.oid)
        from pg_database d where datname = current_database() and datconnlimit >= 0)
     )::int as free`,
)
const state = statement<ServerState>(
  'read_server_state',
  `select pg_is_in_recovery() as "isStandby", current_setting('default_transaction_read_only')::bool as "isReadOnly"`,
)

/** `isReadOnly`: the server, the role or the database is set to reject writes. */
type ServerState = { isStandby: boolean; isReadOnly: boolean }

/** Returns the time of the database server in milliseconds. */
export const readDatabaseClock = statement<{ ms: number }>(
  'read_database_clock',
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
).value('ms', 0)

/** `free`: how many more connections the server accepts from this role. `own`: how many this process has to this database. */
export async function measureRoom(db: Queryable): Promise<{ free: number; own: number }> {
  return (await room(db, [APPLICATION]))[0] ?? { free: 0, own: 0 }
}

export async function readServerState(db: Queryable): Promise<ServerState> {
  const [found] = await state(db, [])
  if (!found) throw new Error('Bug! A statement without a table has no row.')
  return found
}

/** Returns whether the role of this connection is a superuser, who may read the server's files and start programs there. */
export const isSuperuser = statement<{ isSuper: boolean }>(
  'read_own_role',
  'select rolsuper as "isSuper" from pg_roles where rolname = current_user',
).value('isSuper', false)

/** Writes 4 MB into a temporary table, and takes it back. @throws the error of PostgreSQL */
export async function tryToStore(db: Db): Promise<void> {
  const tx = await connect(db)
  try {
    await tx.query('begin read write')
    await tx.query(
      'create temporary table kassa_doctor on commit drop as select repeat(md5(n::text), 60) from generate_series(1, 2000) as n',
    )
    await tx.query('rollback')
    tx.release()
  } catch (error) {
    // The connection ends, and with it the transaction.
    tx.release(true)
    throw error
  }
}

/** Returns whether a connection has the settings that it requested. A pooler may ignore them. */
// Every direct connection requests this setting when it connects.
export const keepsSessionSettings = statement<{ kept: boolean }>(
  'read_session_settings',
  "select current_setting('enable_seqscan') = 'off' as kept",
).value('kept', false)

/** Returns a text that two connections share only if they are connected to the same database. */
export const identifyDatabase = statement<{ id: string }>(
  'identify_database',
  `select (select system_identifier from pg_control_system()) || '/' || oid as id
   from pg_database where datname = current_database()`,
).value('id', '')

const QUESTION_TIMEOUT_MS = 2_000

/** Returns whether the database answers a query within two seconds. */
export async function isDatabaseReady(db: Db): Promise<boolean> {
  const timer = new AbortController()
  const answered = db.query('select').then(
    () => true,
    () => false,
  )
  const tooLate = sleep(QUESTION_TIMEOUT_MS, false, { signal: timer.signal }).catch(() => false)
  const ready = await Promise.race([answered, tooLate])
  timer.abort()
  return ready
}
