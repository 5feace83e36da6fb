/** The sandbox's clock, and the workers that pause while it is moved. All times here are real times. */
import { type Queryable, statement } from '../db.ts'

/**
 * `pausedUntil`: until this time somebody is moving the clock, and no worker works. `liveBusyUntil`: until this time a process counts
 * as doing live work.
 */
export type SandboxClockRecord = {
  offsetMs: number
  mover: string | null
  pausedUntil: Date | null
  liveBusyUntil: Date | null
}

const COLUMNS = `offset_ms as "offsetMs", moved_by as "mover", workers_paused_until as "pausedUntil", live_busy_until as "liveBusyUntil"`

const find = statement<SandboxClockRecord>('find_sandbox_clock', `select ${COLUMNS} from world.sandbox_clock`)
const hold = statement<{ mover: string }>(
  'hold_sandbox_clock',
  `update world.sandbox_clock set moved_by = $1, workers_paused_until = $3
   where moved_by is null or moved_by = $1 or workers_paused_until <= $2 returning moved_by as mover`,
)
const letGo = statement(
  'let_go_of_sandbox_clock',
  'update world.sandbox_clock set moved_by = null, workers_paused_until = null where moved_by = $1',
)
const move = statement<{ offsetMs: number }>(
  'move_sandbox_clock',
  `update world.sandbox_clock set offset_ms = greatest(offset_ms, $3)
   where moved_by = $1 and workers_paused_until > $2 returning offset_ms as "offsetMs"`,
)
const noteBusy = statement(
  'note_live_busy',
  `update world.sandbox_clock set live_busy_until = $1 where live_busy_until is null or live_busy_until < $1`,
)
// Locks the clock's row. A worker either registers before the clock is held, and the mover waits for it, or sees that it is held.
const begin = statement<{ offsetMs: number }>(
  'begin_sandbox_worker',
  `with clock as (
     select offset_ms, workers_paused_until from world.sandbox_clock for share
   ), begun as (
     insert into world.sandbox_workers (id, paused, seen_at)
     select $1, false, $2 from clock where workers_paused_until is null or workers_paused_until <= $2
     on conflict (id) do update set paused = false, seen_at = excluded.seen_at returning id
   )
   select offset_ms as "offsetMs" from clock, begun`,
)
const note = statement(
  'note_sandbox_worker',
  `insert into world.sandbox_workers (id, paused, seen_at) values ($1, $2, $3)
   on conflict (id) do update set paused = excluded.paused, seen_at = excluded.seen_at`,
)
const remove = statement(
  'delete_sandbox_worker',
  'delete from world.sandbox_workers where id = $1 or seen_at < $2',
)
const working = statement<{ id: string }>(
  'list_working_sandbox_workers',
  'select id from world.sandbox_workers where not paused and seen_at > $1',
)

export async function findSandboxClock(db: Queryable): Promise<SandboxClockRecord> {
  return (await find(db, []))[0] ?? { offsetMs: 0, mover: null, pausedUntil: null, liveBusyUntil: null }
}

/** Starts to hold the clock, or holds it for longer. Returns false while somebody else is moving it. */
export async function holdSandboxClock(
  db: Queryable,
  mover: string,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> {
  return (await hold(db, [mover, now, until])).length > 0
}

export async function letGoOfSandboxClock(db: Queryable, mover: string): Promise<void> {
  await letGo(db, [mover])
}

/** Sets how far the clock is ahead. It is never set back. Returns false if the caller no longer holds the clock. */
export async function moveSandboxClock(
  db: Queryable,
  mover: string,
  { now, offsetMs }: { now: Date; offsetMs: number },
): Promise<boolean> {
  return (await move(db, [mover, now, offsetMs])).length > 0
}

/** Tells the other processes that the live world is busy, so that their work in the sandbox leaves it time. */
export async function noteLiveBusy(db: Queryable, until: Date): Promise<void> {
  await noteBusy(db, [until])
}

/** Registers a worker, and returns how far the clock is ahead. Returns null, and writes nothing, while the clock is held. */
export async function beginSandboxWorker(db: Queryable, id: string, now: Date): Promise<number | null> {
  return (await begin(db, [id, now]))[0]?.offsetMs ?? null
}

export async function noteSandboxWorker(
  db: Queryable,
  { id, paused, seenAt }: { id: string; paused: boolean; seenAt: Date },
): Promise<void> {
  await note(db, [id, paused, seenAt])
}

/** Forgets the worker, and those that were not seen since then. */
export async function deleteSandboxWorker(db: Queryable, id: string, unseenSince: Date): Promise<void> {
  await remove(db, [id, unseenSince])
}

/** How many workers are at work, of those that were seen since then. */
export async function countWorkingSandboxWorkers(db: Queryable, since: Date): Promise<number> {
  return (await working(db, [since])).length
}
