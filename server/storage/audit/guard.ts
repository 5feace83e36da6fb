/**
 * Gives the audit log to a role of its own, which nobody can log in as. The service may then read the log and call its function, and
 * can neither change nor remove a row. The guide Deploying has the same statements for a database that others run.
 */
import pg from 'pg'
import { connect, type Db } from '../db.ts'
import { type AuditGuard, findAuditGuard } from './log.ts'

/** The statements, for a superuser. `service`: the role of the service. */
export function guardStatements(service: string): string {
  const role = pg.escapeIdentifier(service)
  return `do $$ begin create role kassa_audit nologin; exception when duplicate_object then null; end $$;
${HAND_OVER}
revoke all on kassa.audit_log from public, ${role};
grant select on kassa.audit_log to ${role};
revoke execute on function ${APPEND} from public;
grant execute on function ${APPEND} to ${role};`
}

const APPEND = 'kassa.append_audit(jsonb, text, text, text, text, text)'
const HAND_OVER = `grant usage, create on schema kassa to kassa_audit;
alter table kassa.audit_log owner to kassa_audit;
alter function ${APPEND} owner to kassa_audit;
alter function kassa.refuse_audit_change() owner to kassa_audit;`

/**
 * Guards the log if this role, or `asSuperuser`, can. Returns how well it is guarded then. Processes may start at once.
 * `asSuperuser`: runs statements on this database as its superuser. The embedded PostgreSQL has one.
 */
export async function guardAudit(
  db: Db,
  asSuperuser?: (statements: string) => Promise<void>,
): Promise<AuditGuard | null> {
  const found = await findAuditGuard(db)
  if (!found || found.isGuarded) return found
  if (asSuperuser) await asSuperuser(guardStatements(await nameRole(db)))
  else if (found.isSuperuser || found.mayCreateRoles) await guardAsRole(db, found)
  return findAuditGuard(db)
}

async function nameRole(db: Db): Promise<string> {
  const { rows } = await db.query<{ role: string }>('select current_user as role')
  return rows[0]?.role ?? ''
}

/** A role that may create roles is for a moment a member of the new one. If PostgreSQL refuses that, nothing is changed. */
async function guardAsRole(db: Db, { isSuperuser }: AuditGuard): Promise<void> {
  const service = await nameRole(db)
  const role = pg.escapeIdentifier(service)
  const statements = guardStatements(service)
  const tx = await connect(db)
  try {
    await tx.query(
      isSuperuser
        ? `begin; ${statements}; commit`
        : `begin; ${statements.replace(HAND_OVER, `grant kassa_audit to ${role};\n${HAND_OVER}`)};
           revoke kassa_audit from ${role}; commit`,
    )
  } catch {
    await tx.query('rollback')
  } finally {
    tx.release()
  }
}
