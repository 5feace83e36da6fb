/** A worker of the sandbox. It pauses while somebody moves the clock, so that everything happens in the order of its time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, systemClock } from '../context.ts'
import { newSharedId } from '../id.ts'
import { logFailure } from '../log/log.ts'
import {
  beginSandboxWorker,
  deleteSandboxWorker,
  findSandboxClock,
  noteSandboxWorker,
} from '../storage/sandbox/clock.ts'
import { startWorker, type Worker } from './worker.ts'

const LOOK_MS = 250
const SEEN_EVERY_MS = 1_000
/** A worker that was not seen for this long is dead. */
export const DEAD_AFTER_MS = 10_000

/** `worker`: null while this process pauses. `seenAt`: when it last reported itself, in ms. */
type WorkerGuard = { ctx: Context; id: string; worker: Worker | null; seenAt: number }

export async function startSandboxWorker(ctx: Context): Promise<Worker> {
  const guard: WorkerGuard = { ctx, id: newSharedId('wrk', systemClock.now()), worker: null, seenAt: 0 }
  const stopping = new AbortController()
  await begin(guard)
  const looking = keepLooking(guard, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await looking
      await guard.worker?.stop()
      const unseenSince = new Date(systemClock.now().getTime() - DEAD_AFTER_MS)
      await deleteSandboxWorker(ctx.db, guard.id, unseenSince).catch(() => {})
    },
  }
}

async function note(guard: WorkerGuard, paused: boolean): Promise<void> {
  const now = systemClock.now()
  await noteSandboxWorker(guard.ctx.db, { id: guard.id, paused, seenAt: now })
  guard.seenAt = now.getTime()
}

async function begin(guard: WorkerGuard): Promise<void> {
  const { ctx } = guard
  const aheadMs = await beginSandboxWorker(ctx.db, guard.id, systemClock.now())
  if (aheadMs === null) return note(guard, true)
  ctx.clock.sandbox?.moveTo(aheadMs)
  guard.worker = await startWorker(ctx)
}

/** Pauses. Running work is finished first. Until then this worker still reports that it is working. */
async function standStill(guard: WorkerGuard, working: Worker): Promise<void> {
  const stopped = working.stop()
  for (let over = false; !over; ) {
    await note(guard, false).catch(() => {})
    over = await Promise.race([stopped.then(() => true), sleep(SEEN_EVERY_MS, false)])
  }
  guard.worker = null
  await note(guard, true)
}

async function look(guard: WorkerGuard): Promise<void> {
  if (!guard.worker) return begin(guard)
  const { pausedUntil } = await findSandboxClock(guard.ctx.db)
  const now = systemClock.now()
  if (pausedUntil && pausedUntil > now) return standStill(guard, guard.worker)
  if (now.getTime() - guard.seenAt >= SEEN_EVERY_MS) await note(guard, false)
}

async function keepLooking(guard: WorkerGuard, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    if (!signal.aborted)
      await look(guard).catch((error: unknown) =>
        logFailure(guard.ctx.log, 'warn', "the sandbox's clock cannot be read", { err: error }),
      )
  }
}
