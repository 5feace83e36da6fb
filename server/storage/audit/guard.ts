/**
 * Gives the audit log to a role of its own, which nobody can log in as. The service may then read the log and call its function, and
 * can neither change nor remove a row.
 */
import pg from 'pg'
import { type Db, inTransaction } from '../db.ts'
import { type AuditGuard, findAuditGuard } from './log.ts'

const APPEND = 'kassa.append_audit(jsonb, text, text, text, text, text)'
const stepsFor = (service: string) => `grant usage, create on schema kassa to kassa_audit;
    alter table kassa.audit_log owner to kassa_audit;
    alter function ${APPEND} owner to kassa_audit;
    alter function kassa.refuse_audit_change() owner to kassa_audit;
    revoke all on kassa.audit_log from public, ${service};
    grant select on kassa.audit_log to ${service};
    revoke execute on function ${APPEND} from public;
    grant execute on function ${APPEND} to ${service};`

/**
 * What a superuser runs once in Kassa's database. Each start calls the function, because a restore makes the tables anew. It does
 * nothing else than to give the log away, so the service may call it. The guide Deploying has the same text.
 */
export const GUARD_FUNCTION = `create or replace function public.kassa_guard_audit() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $guard$
begin
  perform pg_advisory_xact_lock(x'6b617373'::int, x'67756172'::int);
  -- Only for the service: nobody else may be given the log.
  if not exists (select from pg_namespace where nspname = 'kassa' and nspowner = session_user::regrole) then
    raise exception 'only the owner of the schema kassa may call this' using errcode = 'insufficient_privilege';
  end if;
  if not exists (select from pg_roles where rolname = 'kassa_audit') then
    create role kassa_audit nologin;
  end if;
  execute format($steps$
    ${stepsFor('%1$I')}
  $steps$, session_user);
end $guard$;
`

/**
 * Guards the log if this role, or `asSuperuser`, can. Returns how well it is guarded then; null for a database without the log.
 * Processes may start at once. `asSuperuser`: runs statements on this database as its superuser. The embedded PostgreSQL has one.
 */
export async function guardAudit(
  db: Db,
  asSuperuser?: (statements: string) => Promise<void>,
): Promise<AuditGuard | null> {
  const found = await findAuditGuard(db)
  // Nothing can keep a superuser from the log.
  if (!found || found.isGuarded || found.isSuperuser) return found
  if (asSuperuser) await asSuperuser(GUARD_FUNCTION)
  if (asSuperuser || (await hasFunction(db))) await db.query('select public.kassa_guard_audit()')
  else if (found.mayCreateRoles) await guardAsRole(db)
  return findAuditGuard(db)
}

async function hasFunction(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `select to_regprocedure('public.kassa_guard_audit()') is not null as found`,
  )
  return rows[0]?.found ?? false
}

/** A role that may create roles is for a moment a member of the new one. If PostgreSQL refuses that, nothing is changed. */
async function guardAsRole(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ role: string }>('select current_user as role')
    const role = pg.escapeIdentifier(rows[0]?.role ?? '')
    await tx.query(`create role kassa_audit nologin; grant kassa_audit to ${role};
      ${stepsFor(role)}
      revoke kassa_audit from ${role}`)
  }).catch(() => {})
}
