/** The audit log: appended by the database's own function, and read in its order. */
import type pg from 'pg'
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { findAuditGuard } from './place.ts'

const FIELDS = fieldsOf('log', [
  'seq',
  'act',
  'who',
  'operatorId',
  'origin',
  'what',
  'world',
  'merchantId',
  'about',
  'before',
  'after',
  'previous',
  'digest',
])
/** One row, as the database has it. `at`: to the microsecond, because the digest is over this text. `before`, `after`: JSON. */
export type AuditRecord = RecordOf<'log', typeof FIELDS> & { at: string }

/** Who acts, from where, and which command it is. `id`: the same for all rows of the act. */
export type Act = {
  id: string
  who: string
  operator: string | null
  from: string
  what: string
  /** The proposal of another person that the act carries out, once. */
  proposal?: string
}

/** `paymentId`: only rows about this payment. Null for all. */
export type AuditFilter = {
  since: Date | null
  who: string | null
  merchantId: string | null
  paymentId: string | null
  limit: number
}

/** `before`: only rows with a smaller number. `merchantId`, `who`: null for all. */
export type AuditPageFilter = {
  before: number
  since: Date | null
  until: Date | null
  who: string | null
  merchantId: string | null
  paymentId: string | null
  limit: number
}

/** Another role owns the log `kassa_audit.log`. Without it the service's role owns `kassa.audit_log`. */
const OWN_LOG = 'kassa.audit_log'
const GUARDED_LOG = 'kassa_audit.log'
const OWN_APPEND = 'kassa.append_audit('
const GUARDED_APPEND = 'kassa_audit.append('

/**
 * A statement on the log, wherever the log is. A guarded log is read directly, because the service's role could replace the view
 * `kassa.audit_log`. Without any log the statement fails.
 */
function logStatement<Row extends pg.QueryResultRow>(name: string, text: string) {
  const own = statement<Row>(name, text)
  const guarded = statement<Row>(
    `${name}_guarded`,
    text.replaceAll(OWN_LOG, GUARDED_LOG).replaceAll(OWN_APPEND, GUARDED_APPEND),
  )
  return async (db: Queryable, values: unknown[]): Promise<Row[]> =>
    (await findAuditGuard(db)).isGuardedPlace ? guarded(db, values) : own(db, values)
}

/** How many rows one page of the log looks at. */
const AUDIT_LOOKED_MAX = 5_000

const COLUMNS = `${selected(FIELDS)}, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`

// A page looks at a bounded number of rows, however rare the rows are that it searches for. `looked` and `lowest` say how far it came.
const pageOf = (name: string, scope: string) =>
  logStatement<AuditRecord & { looked: number; lowest: number | null }>(
    name,
    `with seen as materialized (
       select * from kassa.audit_log where seq < $1 and ${scope} order by seq desc limit ${AUDIT_LOOKED_MAX}
     ), far as (select count(*)::int as looked, min(seq) as lowest from seen), fit as (
       select ${COLUMNS} from seen as audit_log
       where ($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at < $3)
         and ($4::text is null or lower(who) = lower($4)) and ($7::text is null or merchant_id = $7)
       order by audit_log.seq desc limit $5
     ) select fit.*, far.looked, far.lowest from far left join fit on true order by fit.seq desc`,
  )
const page = pageOf('list_audit_page', '$6::text is null')
const merchantPage = pageOf('list_audit_merchant_page', 'merchant_id = $6')
/** The payment that a row names first. The guarded log has an index on this. */
const PAYMENT = `substring(about from 'pay_[0-9a-z_]+')`
const paymentPage = pageOf('list_audit_payment_page', `${PAYMENT} = $6`)
// The newest rows of a merchant are looked through, because a row may name several ids.
const about = logStatement<AuditRecord>(
  'list_audit_about',
  `select ${COLUMNS} from (
     select * from kassa.audit_log where merchant_id = $1 order by kassa.audit_log.seq desc limit 5000) as audit_log
   where exists (select from unnest($2::text[]) as id where strpos(about, id) > 0) order by seq limit $3`,
)

export type Appended = {
  world: string | null
  merchantId: string | null
  about: string
  before?: object
  after?: object
}

const append = logStatement('append_audit', `select ${OWN_APPEND}$1, $2, $3, $4, $5, $6)`)

/** Appends a row in the transaction. Others who append wait until its end, so this comes last in it. */
export async function appendAudit(
  tx: Queryable,
  act: Act | null,
  { world, merchantId, about, before, after }: Appended,
): Promise<void> {
  const [was, is] = [before, after].map((values) => (values ? JSON.stringify(values) : null))
  await append(tx, [act && JSON.stringify(act), world, merchantId, about, was, is])
}

/** The text of the row that begins the log again after a restore or a move. */
export const RESTORE = 'restore'
export const MOVE = 'move'

/** Whether the row was written when a restore or a move had filled this database. The row of a move names the move. */
export const isFilling = ({ about }: Pick<AuditRecord, 'about'>): boolean =>
  about === RESTORE || about.startsWith(`${MOVE} `)

/** Appends a row to a database that has been filled. A database of an earlier version has no log. */
export async function noteFilled(tx: Queryable, act: Act, about: string, after?: object): Promise<void> {
  if (!(await findAuditGuard(tx)).hasLog) return
  await appendAudit(tx, act, { world: null, merchantId: null, about, ...(after && { after }) })
}

/** The rows about these ids of a merchant, the oldest first, among the merchant's last 5,000 rows. */
export function listAuditAbout(
  db: Queryable,
  { merchantId, ids, limit }: { merchantId: string; ids: string[]; limit: number },
): Promise<AuditRecord[]> {
  return about(db, [merchantId, ids, limit])
}

const newest = logStatement<AuditRecord>(
  'list_audit',
  `select * from (select ${COLUMNS} from kassa.audit_log
     where ($1::timestamptz is null or at >= $1) and ($2::text is null or lower(who) = lower($2)) and ($3::text is null or merchant_id = $3)
       and ($4::text is null or ${PAYMENT} = $4)
     order by kassa.audit_log.seq desc limit $5) as latest order by seq`,
)

/** Returns the newest rows that fit, in their order. */
export function listAudit(
  db: Queryable,
  { since, who, merchantId, paymentId, limit }: AuditFilter,
): Promise<AuditRecord[]> {
  return newest(db, [since, who, merchantId, paymentId, limit])
}

/**
 * Returns the rows of a page, the newest first, and the number before which the next page goes on. `next` is null at the end of the
 * log. A page with fewer rows than its limit can have a next one, because each looks at AUDIT_LOOKED_MAX rows.
 */
export async function listAuditPage(
  db: Queryable,
  { before, since, until, who, merchantId, paymentId, limit }: AuditPageFilter,
): Promise<{ rows: AuditRecord[]; next: number | null }> {
  const [list, scope] =
    paymentId !== null
      ? [paymentPage, paymentId]
      : merchantId === null
        ? [page, null]
        : [merchantPage, merchantId]
  const found = await list(db, [before, since, until, who, limit, scope, merchantId])
  const rows = found.filter(({ seq }) => seq !== null)
  const [far] = found
  const isWhole = rows.length < limit && (far?.looked ?? 0) < AUDIT_LOOKED_MAX
  const last = rows.length < limit ? far?.lowest : rows.at(-1)?.seq
  return { rows, next: isWhole ? null : (last ?? null) }
}

const chain = logStatement<AuditRecord>(
  'read_audit_chain',
  `select ${COLUMNS} from kassa.audit_log where kassa.audit_log.seq > $1 order by kassa.audit_log.seq limit $2`,
)
const head = logStatement<AuditRecord>(
  'find_audit_head',
  `select ${COLUMNS} from kassa.audit_log order by kassa.audit_log.seq desc limit 1`,
)
const restores = logStatement<AuditRecord>(
  'list_audit_restores',
  `select ${COLUMNS} from kassa.audit_log where about = '${RESTORE}' order by kassa.audit_log.seq`,
)

/** Returns the rows after a number, in their order. */
export function readAuditChain(db: Queryable, afterSeq: number, limit: number): Promise<AuditRecord[]> {
  return chain(db, [afterSeq, limit])
}

/** Returns the last row; null if the log is empty. */
export async function findAuditHead(db: Queryable): Promise<AuditRecord | null> {
  return (await head(db, []))[0] ?? null
}

/** Returns the rows of restores, the oldest first. */
export function listAuditRestores(db: Queryable): Promise<AuditRecord[]> {
  return restores(db, [])
}

/** Returns the number of rows of the log that another role owns. It must exist. */
export const countGuardedRows = statement<{ count: number }>(
  'count_guarded_audit_rows',
  'select count(*)::int as count from kassa_audit.log',
).value('count', 0)
