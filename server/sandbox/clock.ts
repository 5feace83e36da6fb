/**
 * The sandbox's clock: real time and an offset. The database holds the offset, and every process follows it.
 * Rule: time limits, rate limits and the time in a signature use real time, because outside systems compare them with their clocks.
 */
import { type Clock, systemClock } from '../context.ts'
import type { WorldShares } from '../limits/world-share.ts'
import type { Log } from '../log/log.ts'
import type { Db } from '../storage/db.ts'
import { findSandboxClock, noteLiveBusy } from '../storage/sandbox/clock.ts'

const FOLLOW_MS = 250
/** How long a note of live work counts. It is written again before it ends. */
const LIVE_BUSY_MS = 2_000

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

/**
 * Returns a clock that follows the offset in the database, at most FOLLOW_MS late, until `stop` is called. `shares`: given beside a
 * live world. Then each process also tells the others that it is doing live work, so that the sandbox leaves them time.
 */
export async function followSandboxClock(
  db: Db,
  log: Log,
  shares: WorldShares | null = null,
): Promise<{ clock: Clock; stop(): void }> {
  const clock = createSandboxClock()
  const follow = async () => {
    const { offsetMs, liveBusyUntil } = await findSandboxClock(db)
    clock.sandbox.moveTo(offsetMs)
    if (!shares) return
    const now = systemClock.now().getTime()
    const busyForMs = liveBusyUntil ? liveBusyUntil.getTime() - now : 0
    shares.noteLiveElsewhere(Math.min(busyForMs, LIVE_BUSY_MS))
    if (shares.isLiveBusy() && busyForMs < LIVE_BUSY_MS / 2)
      await noteLiveBusy(db, new Date(now + LIVE_BUSY_MS))
  }
  await follow()
  const timer = setInterval(() => {
    follow().catch((error: unknown) => log.debug({ err: error }, "the sandbox's clock cannot be read"))
  }, FOLLOW_MS)
  return { clock, stop: () => clearInterval(timer) }
}
