/** Detects a pooler between the service and the database. */
import { statement } from './db.ts'

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
