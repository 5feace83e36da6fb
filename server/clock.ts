/**
 * The sandbox's clock: real time and an offset. The database holds the offset, and every process follows it.
 * Rule: time limits, rate limits and the time in a signature use real time, because outside systems compare them with their clocks.
 */
import { type Clock, systemClock } from './context.ts'
import type { Log } from './log.ts'
import type { Db } from './storage/db.ts'
import { findSandboxClock } from './storage/sandbox/clock.ts'

const FOLLOW_MS = 250

export function createSandboxClock(): Required<Clock> {
  let aheadMs = 0
  return {
    now: () => new Date(systemClock.now().getTime() + aheadMs),
    sandbox: {
      aheadMs: () => aheadMs,
      // The clock never moves back, because events that have happened cannot be undone.
      moveTo(toMs) {
        aheadMs = Math.max(aheadMs, toMs)
      },
    },
  }
}

/** Returns a clock that follows the offset in the database, at most FOLLOW_MS late, until `stop` is called. */
export async function followSandboxClock(db: Db, log: Log): Promise<{ clock: Clock; stop(): void }> {
  const clock = createSandboxClock()
  const follow = async () => clock.sandbox.moveTo((await findSandboxClock(db)).offsetMs)
  await follow()
  const timer = setInterval(() => {
    follow().catch((error: unknown) => log.debug({ err: error }, "the sandbox's clock cannot be read"))
  }, FOLLOW_MS)
  return { clock, stop: () => clearInterval(timer) }
}
