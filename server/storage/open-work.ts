/** How much work is open in a world: what the metrics show, and what somebody has to look at. */
import { type Queryable, statement } from './db.ts'

/**
 * Each part reads a partial index that has only open rows, so it costs nothing where nothing is open. Only the receivers are all
 * read: there is one for each merchant.
 */
const open = statement<OpenWork>(
  'measure_open_work',
  `select e.count::int as "undeliveredEvents",
     coalesce(greatest(0, extract(epoch from $1::timestamptz - e.oldest)), 0)::float8 as "oldestUndeliveredSeconds",
     (select count(*) from world.attempts where question_due_at < $1::timestamptz - interval '5 minutes')::int as "overdueQuestions",
     (select count(*) from world.operations where status = 'requires_operator_review')::int as "operationsInReview",
     (select count(*) from world.payments where status = 'status_unknown')::int as "undecidedPayments",
     (select count(*) from world.receipts where status in ('failed', 'unclear'))::int as "failedReceipts",
     (select count(*) from world.receivers where paused_at is not null)::int as "pausedReceivers"
   from (select count(*), min(created_at) as oldest from world.events where due_at is not null) e`,
)

export type OpenWork = {
  undeliveredEvents: number
  /** For how long the oldest of them has been waiting; 0 when none is. */
  oldestUndeliveredSeconds: number
  /** Attempts about which the provider should have been asked five minutes ago. */
  overdueQuestions: number
  operationsInReview: number
  undecidedPayments: number
  failedReceipts: number
  pausedReceivers: number
}

/** `now`: by the world's clock. */
export async function measureOpenWork(db: Queryable, now: Date): Promise<OpenWork> {
  const [found] = await open(db, [now])
  if (!found) throw new Error('Bug! An aggregate has no row.')
  return found
}
