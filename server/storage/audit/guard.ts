/** Brings the rows of the audit log into the schema of its other owner, and keeps the names by which the version before uses the log. */
import { type Db, type Tx, withoutTimeLimits } from '../db.ts'
import { GUARD_SETUP, OWN_LOG } from './guard-setup.ts'
import { type AuditGuard, findAuditGuard } from './place.ts'

const SIGNATURE = 'kassa.append_audit(jsonb, text, text, text, text, text)'
const COLUMNS =
  'seq, at, act, who, operator_id, origin, what, world, merchant_id, about, before, after, previous, digest'
const BATCH = 2_000

/**
 * For one release: the version before reads the log and appends to it under these names, and so do the triggers. A migration of the
 * next version drops the view.
 */
const NAMES_OF_BEFORE = `
  create or replace view kassa.audit_log as select ${COLUMNS} from kassa_audit.log;
  drop function if exists ${SIGNATURE};
  create function kassa.append_audit(act jsonb, world text, merchant text, about text, old text, new text) returns void
  language sql set search_path = pg_catalog, pg_temp as 'select kassa_audit.append(act, world, merchant, about, old, new)'`

/**
 * Guards the log if somebody has prepared the database for it. Returns how well it is guarded then. Processes may start at once.
 * `asSuperuser`: prepares the database. The embedded PostgreSQL has a superuser, and it only does this.
 */
export async function guardAudit(
  db: Db,
  asSuperuser?: (statements: string) => Promise<void>,
): Promise<AuditGuard> {
  const found = await findAuditGuard(db)
  // Nothing can keep a superuser from the log.
  if (found.isSuperuser || !found.wasMade) return found
  if (asSuperuser && !found.isPrepared) await asSuperuser(GUARD_SETUP)
  if (stepOf(await findAuditGuard(db), await findKept(db)) !== null) await withoutTimeLimits(db, settle)
  return findAuditGuard(db)
}

/**
 * What is to be done. `adopt`: the rows go into the prepared log. `name`: the names of the version before are missing. `replace`: there
 * is no log at all, and without one a start could store no account of the settings. People can change nothing until a log that was
 * guarded is back.
 */
function stepOf(
  { isPrepared, isGuardedPlace, hasLog }: AuditGuard,
  kept: KeptObjects,
): 'adopt' | 'name' | 'replace' | null {
  if (isPrepared && !isGuardedPlace) return 'adopt'
  if (isPrepared) return kept.isTable || (kept.hasView && kept.isWrapper) ? null : 'name'
  return hasLog ? null : 'replace'
}

/** One transaction: either all rows are in the other schema, or everything is as before. */
async function settle(client: Tx): Promise<void> {
  await client.query('begin')
  try {
    await client.query("select pg_advisory_xact_lock(x'6b617373'::int, x'61756474'::int)")
    const step = stepOf(await findAuditGuard(client), await findKept(client))
    if (step === 'adopt') {
      await adoptRows(client)
      await client.query('drop table if exists kassa.audit_log')
    }
    if (step === 'adopt' || step === 'name') await client.query(NAMES_OF_BEFORE)
    if (step === 'replace') await client.query(`drop function if exists ${SIGNATURE}; ${OWN_LOG}`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function adoptRows(client: Tx): Promise<void> {
  const { rows } = await client.query<{ last: string | null }>(
    'select max(seq)::text as last from kassa.audit_log',
  )
  const last = Number(rows[0]?.last ?? 0)
  for (let after = 0; after < last; ) {
    const { rows: adopted } = await client.query<{ seq: string | null }>(
      `select kassa_audit.adopt((select jsonb_agg(to_jsonb(row) order by seq)
         from (select ${COLUMNS} from kassa.audit_log where seq > $1 order by seq limit ${BATCH}) as row))::text as seq`,
      [after],
    )
    after = Number(adopted[0]?.seq ?? last)
  }
}

type KeptObjects = { isTable: boolean; hasView: boolean; isWrapper: boolean }

/** The objects with the names of the version before. */
async function findKept(client: Pick<Tx, 'query'>): Promise<KeptObjects> {
  const { rows } = await client.query<KeptObjects>(
    `select coalesce((select relkind = 'r' from pg_class where oid = to_regclass('kassa.audit_log')), false) as "isTable",
       coalesce((select relkind = 'v' from pg_class where oid = to_regclass('kassa.audit_log')), false) as "hasView",
       coalesce((select prosrc like '%kassa_audit.append(%' from pg_proc where oid = to_regprocedure($1)), false) as "isWrapper"`,
    [SIGNATURE],
  )
  return rows[0] ?? { isTable: false, hasView: false, isWrapper: false }
}
