/** How much work is open in a world: what the metrics show, and what somebody has to look at. */
import { type Queryable, statement } from './db.ts'
import { ENDED_SAVING, OPEN_QUESTION, SETTLED_QUESTION } from './payments/due-accounts.ts'

/** More overdue questions of an account than this are not counted. */
const OVERDUE_MAX = 10_000

/** Each account costs one look into an index, because the questions that are due later are many. */
const countOverdue = (
  which: string,
  table = 'attempts',
  column = 'question_due_at',
) => `select count(*) from (
       select from world.${table}
       where account_id = a.id and ${which} and ${column} < $1::timestamptz - interval '5 minutes'
       limit ${OVERDUE_MAX}) overdue`

/** The same for work whose due time is in a column `due_at`. Operations are refunds, captures and voids, and revoked cards. */
const countLate = (
  table: string,
) => `coalesce((select sum(o.count) from world.accounts a cross join lateral (select count(*) from (
       select from world.${table}
       where account_id = a.id and due_at < $1::timestamptz - interval '5 minutes'
       limit ${OVERDUE_MAX}) late) o), 0)::int`

/**
 * Each part reads a partial index that has only open rows, so it costs nothing where nothing is open. Only the receivers are all
 * read: there is one for each merchant.
 */
const open = statement<OpenWork>(
  'measure_open_work',
  `select e.count::int as "undeliveredEvents",
     coalesce(greatest(0, extract(epoch from $1::timestamptz - e.oldest)), 0)::float8 as "oldestUndeliveredSeconds",
     coalesce((select sum(o.count) from world.accounts a cross join lateral (${countOverdue(OPEN_QUESTION)}) o), 0)::int as "overdueQuestions",
     coalesce((select sum(o.count) from world.accounts a cross join lateral (
       select (${countOverdue(SETTLED_QUESTION)}) + (${countOverdue(ENDED_SAVING, 'saved_methods', 'due_at')}) as count) o), 0)::int as "overdueSettledQuestions",
     coalesce(greatest(0, extract(epoch from $1::timestamptz - (
       select min(d.question_due_at) from world.accounts a cross join lateral (
         select question_due_at from world.attempts
         where account_id = a.id and question_due_at is not null and ${SETTLED_QUESTION}
         order by question_due_at limit 1) d))), 0)::float8 as "oldestSettledQuestionSeconds",
     ${countLate('operations')} as "overdueOperations",
     ${countLate('subscriptions')} as "overdueRenewals",
     (select count(*) from world.operations where status = 'requires_operator_review')::int as "operationsInReview",
     (select count(*) from world.payments where status = 'status_unknown')::int as "undecidedPayments",
     (select count(*) from world.attempts where under_way_since is not null)::int as "paymentsUnderWay",
     coalesce(greatest(0, extract(epoch from $1::timestamptz - (
       select min(under_way_since) from world.attempts where under_way_since is not null))), 0)::float8 as "oldestUnderWaySeconds",
     (select count(*) from world.receipts where status in ('failed', 'unclear'))::int as "failedReceipts",
     (select count(*) from world.receivers where paused_at is not null)::int as "pausedReceivers",
     (select count(*) from world.restores where ended_at is null)::int as "openRestores",
     (select count(*) from world.restore_checks where due_at is not null and blocks_operations)::int as "waitingRestoreChecks"
   from (select count(*), min(created_at) as oldest from world.events where due_at is not null) e`,
)

export type OpenWork = {
  undeliveredEvents: number
  /** How long the oldest of them has been waiting. 0 if there is none. */
  oldestUndeliveredSeconds: number
  /** Attempts that buyers may be paying now, and about which the provider should have been asked five minutes ago, at most 10,000 for each account. */
  overdueQuestions: number
  /** The same number for attempts whose money has moved, for those that are over, and for savings of cards that have ended. */
  overdueSettledQuestions: number
  /** How long the oldest question about such an attempt has been due. 0 if there is none. */
  oldestSettledQuestionSeconds: number
  /** Operations that somebody should have worked on five minutes ago, at most 10,000 for each account. */
  overdueOperations: number
  /** The same number for subscriptions. */
  overdueRenewals: number
  operationsInReview: number
  undecidedPayments: number
  /** Payments whose buyer has finished, and on which the provider is still working. */
  paymentsUnderWay: number
  /** How long the provider has been working on the oldest of them. 0 if there is none. */
  oldestUnderWaySeconds: number
  failedReceipts: number
  pausedReceivers: number
  /** 1 while refunds, captures, voids and renewals wait after a restore. */
  openRestores: number
  /** Payments and subscriptions about which the providers have not been asked since the restore, and for which the others wait. */
  waitingRestoreChecks: number
}

/** `now`: by the world's clock. */
export async function measureOpenWork(db: Queryable, now: Date): Promise<OpenWork> {
  const [found] = await open(db, [now])
  if (!found) throw new Error('Bug! An aggregate has no row.')
  return found
}
