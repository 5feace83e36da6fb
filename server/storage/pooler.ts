/** Detects a pooler between the service and the database. */
import { type Queryable, statement } from './db.ts'

// Every direct connection requests this setting when it connects.
const kept = statement<{ kept: boolean }>(
  'read_session_settings',
  "select current_setting('enable_seqscan') = 'off' as kept",
)
const identify = statement<{ id: string }>(
  'identify_database',
  `select (select system_identifier from pg_control_system()) || '/' || oid as id
   from pg_database where datname = current_database()`,
)

/** Returns whether a connection has the settings that it requested. A pooler may ignore them. */
export async function keepsSessionSettings(db: Queryable): Promise<boolean> {
  return (await kept(db, []))[0]?.kept ?? false
}

/** Returns a text that two connections share only if they are connected to the same database. */
export async function identifyDatabase(db: Queryable): Promise<string> {
  return (await identify(db, []))[0]?.id ?? ''
}
