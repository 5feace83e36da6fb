/** The sandbox's clock, and the workers that pause while it is moved. All times here are real times. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('sandbox_clock', [
  'offsetMs',
  'movedBy as mover',
  'workersPausedUntil as pausedUntil',
  'liveBusyUntil',
])
/**
 * `pausedUntil`: until this time somebody is moving the clock, and no worker works. `liveBusyUntil`: until this time a process counts
 * as doing live work.
 */
export type SandboxClockRecord = RecordOf<'sandbox_clock', typeof FIELDS>

const COLUMNS = selected(FIELDS)

const find = statement<SandboxClockRecord>('find_sandbox_clock', `select ${COLUMNS} from world.sandbox_clock`)

export async function findSandboxClock(db: Queryable): Promise<SandboxClockRecord> {
  return (await find(db, []))[0] ?? { offsetMs: 0, mover: null, pausedUntil: null, liveBusyUntil: null }
}

/** Starts to hold the clock, or holds it for longer. Returns false while somebody else is moving it. */
export const holdSandboxClock = statement<{ mover: string }>(
  'hold_sandbox_clock',
  `update world.sandbox_clock set moved_by = $1, workers_paused_until = $3
   where moved_by is null or moved_by = $1 or workers_paused_until <= $2 returning moved_by as mover`,
).some((mover: string, { now, until }: { now: Date; until: Date }) => [mover, now, until])

export const releaseSandboxClock = statement(
  'let_go_of_sandbox_clock',
  'update world.sandbox_clock set moved_by = null, workers_paused_until = null where moved_by = $1',
).run((mover: string) => [mover])

/** Sets how far the clock is ahead. It is never set back. Returns false if the caller no longer holds the clock. */
export const moveSandboxClock = statement<{ offsetMs: number }>(
  'move_sandbox_clock',
  `update world.sandbox_clock set offset_ms = greatest(offset_ms, $3)
   where moved_by = $1 and workers_paused_until > $2 returning offset_ms as "offsetMs"`,
).some((mover: string, { now, offsetMs }: { now: Date; offsetMs: number }) => [mover, now, offsetMs])

/** Tells the other processes that the live world is busy, so that they slow down their work in the sandbox. */
export const noteLiveBusy = statement(
  'note_live_busy',
  `update world.sandbox_clock set live_busy_until = $1 where live_busy_until is null or live_busy_until < $1`,
).run((until: Date) => [until])

/** Registers a worker, and returns how far the clock is ahead. Returns null, and writes nothing, while the clock is held. */
// Locks the clock's row. A worker either registers before the clock is held, and the mover waits for it, or sees that it is held.
export const beginSandboxWorker = statement<{ offsetMs: number }>(
  'begin_sandbox_worker',
  `with clock as (
     select offset_ms, workers_paused_until from world.sandbox_clock for share
   ), begun as (
     insert into world.sandbox_workers (id, paused, seen_at)
     select $1, false, $2 from clock where workers_paused_until is null or workers_paused_until <= $2
     on conflict (id) do update set paused = false, seen_at = excluded.seen_at returning id
   )
   select offset_ms as "offsetMs" from clock, begun`,
).value('offsetMs', null, (id: string, now: Date) => [id, now])

export const noteSandboxWorker = statement(
  'note_sandbox_worker',
  `insert into world.sandbox_workers (id, paused, seen_at) values ($1, $2, $3)
   on conflict (id) do update set paused = excluded.paused, seen_at = excluded.seen_at`,
).run(({ id, paused, seenAt }: { id: string; paused: boolean; seenAt: Date }) => [id, paused, seenAt])

/** Forgets the worker, and those that were not seen since then. */
export const deleteSandboxWorker = statement(
  'delete_sandbox_worker',
  'delete from world.sandbox_workers where id = $1 or seen_at < $2',
).run((id: string, unseenSince: Date) => [id, unseenSince])

/** How many workers are at work, of those that were seen since then. */
export const countWorkingSandboxWorkers = statement<{ id: string }>(
  'list_working_sandbox_workers',
  'select id from world.sandbox_workers where not paused and seen_at > $1',
).count((since: Date) => [since])
