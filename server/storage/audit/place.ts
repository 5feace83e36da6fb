/** Where the audit log is, and who owns it. */
import { type Queryable, statement } from '../db.ts'

/**
 * `hasLog`: a log exists. `isGuardedPlace`: it is `kassa_audit.log`, and not the table `kassa.audit_log`. `isGuarded`: another role owns
 * it, which the service's role cannot become, so the service's role can neither change it nor make it anew. `isPrepared`: the place
 * for a guarded log exists. `wasMade`: a migration has made a log in this database.
 */
export type AuditGuard = {
  hasLog: boolean
  isGuardedPlace: boolean
  isGuarded: boolean
  isSuperuser: boolean
  isPrepared: boolean
  wasMade: boolean
  role: string
  owner: string | null
}

// A log with rows in kassa_audit stays the log, whatever the service's role makes under the other name. An empty one counts once the
// table of the service has become a view.
const PLACE = `
  select exists (select from pg_class where oid = to_regclass('kassa.audit_log') and relkind = 'r') as "hasOwnTable",
    to_regclass('kassa.audit_log') is not null as "hasOwn", to_regclass('kassa_audit.log') is not null as "isPrepared",
    to_regclass('kassa.migrations') is not null as "isKassa",
    r.rolsuper as "isSuperuser", r.rolname as role, pg_get_userbyid(n.nspowner) as owner,
    n.oid is not null and l.relowner = n.nspowner and f.proowner = n.nspowner and f.prosecdef
      and not pg_has_role(r.oid, n.nspowner, 'member')
      -- Before version 16 a role that may create roles can become a member of any other.
      and not (r.rolcreaterole and current_setting('server_version_num')::int < 160000) as "isOwnedByOther"
  from pg_roles r
    left join pg_namespace n on n.nspname = 'kassa_audit'
    left join pg_class l on l.oid = to_regclass('kassa_audit.log')
    left join pg_proc f on f.oid = to_regprocedure('kassa_audit.append(jsonb, text, text, text, text, text)')
  where r.rolname = current_user`

type Place = Pick<AuditGuard, 'isPrepared' | 'isSuperuser' | 'role' | 'owner'> & {
  hasOwnTable: boolean
  hasOwn: boolean
  isKassa: boolean
  isOwnedByOther: boolean
}

const place = statement<Place>('find_audit_place', PLACE).row()
const hasRows = statement<{ found: boolean }>(
  'has_guarded_rows',
  'select exists (select from kassa_audit.log) as found',
).row()
const wasMade = statement<{ found: boolean }>(
  'was_audit_log_made',
  `select exists (select from kassa.migrations where (schema, name) = ('kassa', '0002_audit.sql')) as found`,
).row()

export async function findAuditGuard(db: Queryable): Promise<AuditGuard> {
  const { hasOwnTable, hasOwn, isKassa, isOwnedByOther, ...found } = await place(db)
  const isGuardedPlace = found.isPrepared && (!hasOwnTable || (await hasRows(db)).found)
  return {
    ...found,
    isGuardedPlace,
    hasLog: isGuardedPlace || hasOwn,
    isGuarded: isGuardedPlace && isOwnedByOther && !found.isSuperuser,
    wasMade: isKassa && (await wasMade(db)).found,
  }
}
