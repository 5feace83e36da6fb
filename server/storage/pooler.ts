/** How a pooler between the service and the database is noticed. */
import { type Queryable, statement } from './db.ts'

// Every connection that is not pooled asks for this setting when it connects.
const kept = statement<{ kept: boolean }>(
  'read_session_settings',
  "select current_setting('enable_seqscan') = 'off' as kept",
)
const identify = statement<{ id: string }>(
  'identify_database',
  `select (select system_identifier from pg_control_system()) || '/' || oid as id
   from pg_database where datname = current_database()`,
)

/** Whether a connection has the settings that it asked for. A pooler may ignore them. */
export async function keepsSessionSettings(db: Queryable): Promise<boolean> {
  return (await kept(db, []))[0]?.kept ?? false
}

/** Returns a text that is the same for two connections to one database, and only then. */
export async function identifyDatabase(db: Queryable): Promise<string> {
  return (await identify(db, []))[0]?.id ?? ''
}
