/** Restores of backups. The latest one may be open: the providers have not been asked about everything yet. */
import { type Queryable, statement, type Tx } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { OPEN_QUESTION } from '../payments/due-accounts.ts'

const FIELDS = fieldsOf('restores', [
  'restoredAt',
  /** When the backup was made. Later changes may be missing. */
  'backupAt',
  /** Null while refunds, captures, voids and renewals wait. */
  'endedAt',
  'endedBy',
  'reason',
  /** For each account, how many orders and savings it had begun on its busiest day when the backup was made. */
  'busiestOrders',
  /** For each register, how many receipts were sent to it on its busiest day. */
  'busiestReceipts',
])
export type RestoreRecord = RecordOf<
  'restores',
  typeof FIELDS,
  { busiestOrders: Record<string, number>; busiestReceipts: Record<string, number> }
>

const COLUMNS = selected(FIELDS)

const measure = statement<RestoreProgress>(
  'measure_restore',
  `select count(*) filter (where kind = 'payment')::int as payments,
     count(*) filter (where due_at is not null and blocks_operations)::int as waiting,
     count(*) filter (where due_at is not null and not blocks_operations)::int as later,
     count(*) filter (where due_at is null and before is distinct from after and after is not null)::int as changed
   from world.restore_checks`,
)

/** `waiting`: not asked about yet, and refunds wait for it. `later`: payments that ended long before. `changed`: the database was wrong. */
export type RestoreProgress = { payments: number; waiting: number; later: number; changed: number }

export const findLatestRestore = statement<RestoreRecord>(
  'find_latest_restore',
  `select ${COLUMNS} from world.restores order by restored_at desc limit 1`,
).first()

/** Ends the open restore if the providers have said how everything stands. Returns false if there is something left, or none is open. */
export const endRestore = statement<{ at: Date }>(
  'end_restore',
  `update world.restores set ended_at = $1 where ended_at is null
     and not exists (select from world.restore_checks where due_at is not null and blocks_operations) returning ended_at as at`,
).some((now: Date) => [now])

/** Ends the open restore in any case. Returns false if none is open. */
export const endRestoreEarly = statement<{ at: Date }>(
  'end_restore_early',
  `update world.restores set ended_at = $1, ended_by = $2, reason = $3 where ended_at is null returning ended_at as at`,
).some(({ now, by, reason }: { now: Date; by: string; reason: string }) => [now, by, reason])

export async function measureRestore(db: Queryable): Promise<RestoreProgress> {
  const [found] = await measure(db, [])
  if (!found) throw new Error('Bug! An aggregate has no row.')
  return found
}

/** A backup is a little older than its time: rows that were being written then are missing. Clocks differ, too. */
const MARGIN = "interval '1 hour'"
const OPEN = `('created', 'pending_redirect', 'pending_payment', 'authorized', 'status_unknown', 'disputed')`
/** The sums and the status that the answers of providers are compared with. */
const BOOKS = `jsonb_build_object('status', p.status, 'authorizedMinor', p.authorized_minor, 'capturedMinor', p.captured_minor,
  'refundedMinor', p.refunded_minor, 'currency', p.currency)`

/** How many rows each `owner` had on its busiest day. The whole table is read, in the transaction that has just filled it. */
const busiestOf = (owner: string, at: string, table: string) =>
  `(select coalesce(jsonb_object_agg(owner, busiest), '{}') from (
     select owner, max(count) as busiest from (
       select ${owner} as owner, count(*) from ${table} where ${at} is not null group by ${owner}, date_trunc('day', ${at}, 'UTC')) days
     group by owner) owners)`

/** Whatever takes an order number of its account. */
const NUMBERED = `(select account_id, created_at from world.attempts
  union all select account_id, created_at from world.saved_methods) numbered`

/** The tables that `markRestored` writes. The audit log gets a row for each world. */
export const MARKED_TABLES = ['restores', 'restore_checks', 'audit_log']

/**
 * Marks a world as restored, in the transaction that fills the database. `settledPerHour`: the budget of questions about payments
 * that had ended long before the backup. They are asked about as well, and nothing waits for them.
 */
export async function markRestored(
  tx: Tx,
  world: string,
  at: { backupAt: Date; restoredAt: Date; settledPerHour: number },
): Promise<void> {
  const run = (text: string, values: unknown[] = []) =>
    tx.query(text.replaceAll('world.', `${world}.`), values)
  const { rows } = await run('select offset_ms::float8 as ahead from world.sandbox_clock')
  const ahead = world === 'sandbox' ? rows[0].ahead : 0
  const [backupAt, restoredAt] = [at.backupAt, at.restoredAt].map((each) => new Date(each.getTime() + ahead))
  await run(
    `update world.restores set ended_at = $1, ended_by = 'restore', reason = 'another backup was restored' where ended_at is null`,
    [restoredAt],
  )
  // Each account skips numbers when it next needs one: `payments/attempts/reference.ts`.
  await run(
    `insert into world.restores (restored_at, backup_at, skipped_numbers, busiest_orders, busiest_receipts)
     values ($1, $2, 0, ${busiestOf('account_id', 'created_at', NUMBERED)}, ${busiestOf('register', 'sent_at', 'world.receipts')})`,
    [restoredAt, backupAt],
  )
  await run('delete from world.restore_checks')
  await run(
    `insert into world.restore_checks (merchant_id, id, kind, account_id, blocks_operations, before, due_at)
     select merchant_id, id, 'payment', account_id, blocks_operations, books,
       case when blocks_operations then $1::timestamptz
         else $1::timestamptz + row_number() over (partition by account_id, blocks_operations order by updated_at desc) * $3::float8 * interval '1 second' end
     from (
       select p.merchant_id, p.id, a.account_id, p.updated_at, ${BOOKS} as books, p.status in ${OPEN}
         or p.updated_at >= $2::timestamptz - ${MARGIN}
         or exists (select from world.attempts w where w.merchant_id = p.merchant_id and w.payment_id = p.id
           and w.question_due_at is not null and ${OPEN_QUESTION})
         or exists (select from world.operations o where o.merchant_id = p.merchant_id and o.payment_id = p.id
           and o.status in ('queued', 'processing', 'requires_operator_review')) as blocks_operations
       from world.payments p join world.attempts a on a.merchant_id = p.merchant_id and a.payment_id = p.id and a.number = p.attempt
       where p.status in ${OPEN} or p.updated_at >= $2::timestamptz - ${MARGIN}
         or exists (select from world.attempts w where w.merchant_id = p.merchant_id and w.payment_id = p.id
           and w.question_due_at is not null)
         or exists (select from world.operations o where o.merchant_id = p.merchant_id and o.payment_id = p.id
           and o.status in ('queued', 'processing', 'requires_operator_review'))
     ) found`,
    [restoredAt, backupAt, 3_600 / at.settledPerHour],
  )
  await run(
    `insert into world.restore_checks (merchant_id, id, kind, account_id, blocks_operations, due_at)
     select merchant_id, id, 'subscription', account_id, true, $1::timestamptz from world.subscriptions
     where status <> 'cancelled' and (next_charge_at <= $1::timestamptz or next_charge_at is null)`,
    [restoredAt],
  )
}
