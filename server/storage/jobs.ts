/** The queue: a job is added in the transaction that makes it necessary. */
import { type Queryable, statement } from './db.ts'

const add = statement(
  'add_job',
  `select from world_jobs.add_job($1::text, $2::json, job_key => $4::text, max_attempts => $5::int,
     run_at => current_timestamp + make_interval(secs => $3::float8 / 1000))`,
)
const unlock = statement(
  'unlock_dead_workers',
  `select world_jobs.force_unlock_workers(array_agg(distinct locked_by))
   from world_jobs.jobs where locked_at < current_timestamp - make_interval(secs => $1) having count(*) > 0`,
)
const depth = statement<QueueDepth>(
  'measure_queue',
  `select count(*) filter (where run_at <= current_timestamp) as due,
     count(*) filter (where run_at > current_timestamp) as later,
     greatest(0, coalesce(extract(epoch from current_timestamp - min(run_at)), 0))::float8 as "oldestDueSeconds"
   from world_jobs.jobs`,
)

/** What the library does on its own when a task throws (only for our own faults; deliveries have a schedule of their own). */
const MAX_ATTEMPTS = 25

/** Jobs that are due or being worked on, jobs whose time has not come, and for how long the oldest has been due. */
export type QueueDepth = { due: number; later: number; oldestDueSeconds: number }

/**
 * Adds a job, or replaces the one with the same key that has not begun. A wait, not a moment: the queue goes by the
 * database's clock, and the application's may differ.
 */
export async function addJob(
  db: Queryable,
  job: { task: string; payload: object; jobKey: string; waitMs?: number },
): Promise<void> {
  await add(db, [job.task, JSON.stringify(job.payload), job.waitMs ?? 0, job.jobKey, MAX_ATTEMPTS])
}

/** Frees the jobs of workers that have held one for longer than any job may take: those workers are dead. */
export async function unlockDeadWorkers(db: Queryable, leaseSeconds: number): Promise<void> {
  await unlock(db, [leaseSeconds])
}

export async function measureQueue(db: Queryable): Promise<QueueDepth> {
  return (await depth(db, []))[0] ?? { due: 0, later: 0, oldestDueSeconds: 0 }
}
