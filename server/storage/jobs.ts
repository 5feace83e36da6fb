/** The job queue. A job is added in the transaction that makes it necessary. */
import { batched } from './batch.ts'
import { type Db, type Queryable, statement } from './db.ts'

const depth = statement<QueueDepth>(
  'measure_queue',
  `select count(*) filter (where run_at <= current_timestamp) as due,
     count(*) filter (where run_at > current_timestamp) as later,
     greatest(0, coalesce(extract(epoch from current_timestamp - min(run_at)), 0))::float8 as "oldestDueSeconds"
   from world_jobs.jobs`,
)

/** How often the library runs a job again that threw. Only our own faults throw: failed deliveries have their own schedule. */
const MAX_ATTEMPTS = 25

/** The number of jobs that are due or running, the number of later jobs, and how long the oldest job has been due. */
export type QueueDepth = { due: number; later: number; oldestDueSeconds: number }

/**
 * Adds a job, or replaces a job with the same key that has not started. The time is given as a delay, because the queue uses the
 * database's clock, which may differ from the application's.
 */
export const addJob = statement(
  'add_job',
  `select from world_jobs.add_job($1::text, $2::json, job_key => $4::text, max_attempts => $5::int,
     run_at => current_timestamp + make_interval(secs => $3::float8 / 1000))`,
).run((job: { task: string; payload: object; jobKey: string; waitMs?: number }) => [
  job.task,
  JSON.stringify(job.payload),
  job.waitMs ?? 0,
  job.jobKey,
  MAX_ATTEMPTS,
])

// The job need not wait for the disk: without it, the worker's next turn finds what is due.
const wake = statement(
  'add_wake_jobs',
  `with with_async_commit as (select set_config('synchronous_commit', 'off', true))
   select from with_async_commit, unnest($2::text[]) as due (merchant_id),
     lateral world_jobs.add_job($1::text, json_build_object('merchantId', merchant_id), job_key => 'due ' || merchant_id,
       max_attempts => $3::int)`,
)

/**
 * Adds a job that wakes the worker of this merchant's due events. Concurrent callers share one statement, and a merchant has one such
 * job, however much is due.
 */
export const wakeFor: (db: Db, due: { task: string; merchantId: string }) => Promise<void> = batched(
  async (db, all) => {
    for (const [task, due] of Map.groupBy(all, (each) => each.task)) {
      // Sorted, so that two processes that add the same jobs wait for each other in one order.
      const merchantIds = [...new Set(due.map(({ merchantId }) => merchantId))].sort()
      await wake(db, [task, merchantIds, MAX_ATTEMPTS])
    }
    return all.map(() => undefined)
  },
)

/** Unlocks jobs that have been running for longer than any job may take. Their workers are dead. */
export const unlockDeadWorkers = statement(
  'unlock_dead_workers',
  `select world_jobs.force_unlock_workers(array_agg(distinct locked_by))
   from world_jobs.jobs where locked_at < current_timestamp - make_interval(secs => $1) having count(*) > 0`,
).run((leaseSeconds: number) => [leaseSeconds])

export async function measureQueue(db: Queryable): Promise<QueueDepth> {
  return (await depth(db, []))[0] ?? { due: 0, later: 0, oldestDueSeconds: 0 }
}
