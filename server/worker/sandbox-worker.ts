/** A worker of the sandbox. It pauses while somebody moves the clock, so that everything happens in the order of its time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, systemClock } from '../context.ts'
import { newSharedId } from '../id.ts'
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

export async function startSandboxWorker(ctx: Context): Promise<Worker> {
  const id = newSharedId('wrk', systemClock.now())
  const stopping = new AbortController()
  const { signal } = stopping
  let worker: Worker | null = null
  let seenAt = 0

  async function note(standing: boolean): Promise<void> {
    const now = systemClock.now()
    await noteSandboxWorker(ctx.db, { id, standing, seenAt: now })
    seenAt = now.getTime()
  }

  async function begin(): Promise<void> {
    const aheadMs = await beginSandboxWorker(ctx.db, id, systemClock.now())
    if (aheadMs === null) return note(true)
    ctx.clock.sandbox?.moveTo(aheadMs)
    worker = await startWorker(ctx)
  }

  /** Pauses. Running work is finished first. Until then this worker still reports that it is working. */
  async function standStill(working: Worker): Promise<void> {
    const stopped = working.stop()
    for (let over = false; !over; ) {
      await note(false).catch(() => {})
      over = await Promise.race([stopped.then(() => true), sleep(SEEN_EVERY_MS, false)])
    }
    worker = null
    await note(true)
  }

  async function look(): Promise<void> {
    if (!worker) return begin()
    const { heldUntil } = await findSandboxClock(ctx.db)
    const now = systemClock.now()
    if (heldUntil && heldUntil > now) return standStill(worker)
    if (now.getTime() - seenAt >= SEEN_EVERY_MS) await note(false)
  }

  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
      if (!signal.aborted)
        await look().catch((error: unknown) =>
          ctx.log.warn({ err: error }, "the sandbox's clock cannot be read"),
        )
    }
  }

  await begin()
  const looking = keepLooking()
  return {
    async stop() {
      stopping.abort()
      await looking
      await worker?.stop()
      const unseenSince = new Date(systemClock.now().getTime() - DEAD_AFTER_MS)
      await deleteSandboxWorker(ctx.db, id, unseenSince).catch(() => {})
    },
  }
}
