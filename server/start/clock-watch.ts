/**
 * Watches the clocks while the service runs. The service counts its own time from the start, so a machine whose clock is set to
 * another time expires no order.
 * Rule: a jump is logged at once. The service follows it at once if the machine was suspended, and after HOLD_MS if the database
 * shows the same time. Otherwise the service keeps its own time.
 */
import { uptime } from 'node:os'
import { type Clock, systemClock } from '../context.ts'
import type { Log } from '../log/log.ts'
import type { Db } from '../storage/db.ts'
import { readDatabaseClock } from '../storage/server-facts.ts'

const WATCH_EVERY_MS = 10_000
/** A smaller difference is an ordinary correction of the machine's clock. The service follows it and logs nothing. */
const JUMP_MS = 2_000
/** Two clocks that differ by less agree. */
const AGREE_MS = 5_000
/** A jump that the database confirms is followed after this time. Until then somebody can take a mistake back. */
export const HOLD_MS = 600_000

/** All in milliseconds, compared with the time of this process. */
export type Clocks = {
  machineAheadMs: number
  databaseAheadMs: number
  /** For how long the machine was suspended. The process did not count that time. */
  suspendedMs: number
  /** For how long the jump has been held back. */
  heldMs: number
}

/** `hold`: the process keeps its own time. `follow`: it takes over the time of the machine. */
export function judgeClocks({
  machineAheadMs,
  databaseAheadMs,
  suspendedMs,
  heldMs,
}: Clocks): 'follow' | 'hold' {
  if (Math.abs(machineAheadMs) < JUMP_MS) return 'follow'
  if (suspendedMs > JUMP_MS && Math.abs(machineAheadMs - suspendedMs) < AGREE_MS) return 'follow'
  const isConfirmed = Math.abs(machineAheadMs - databaseAheadMs) < AGREE_MS
  return isConfirmed && heldMs >= HOLD_MS ? 'follow' : 'hold'
}

type Watched = { db: Db; log: Log; machine: Clock; everyMs?: number }

/** Compares the clocks regularly until `stop` is called. */
export function watchClock({ db, log, machine, everyMs = WATCH_EVERY_MS }: Watched): { stop(): void } {
  const countSuspended = openSuspension()
  let heldSince: number | null = null
  const look = async () => {
    const database = await readDatabaseClock(db)
    const own = systemClock.now().getTime()
    const machineAheadMs = machine.now().getTime() - own
    const verdict = judgeClocks({
      machineAheadMs,
      databaseAheadMs: database - own,
      suspendedMs: countSuspended(),
      heldMs: heldSince === null ? 0 : performance.now() - heldSince,
    })
    const jump = { jumpSeconds: Math.round(machineAheadMs / 1000) }
    if (verdict === 'hold' && heldSince === null) {
      heldSince = performance.now()
      log.warn(jump, "the machine's clock has jumped: the service keeps its own time. Check the clock")
    }
    if (verdict === 'hold') return
    if (heldSince !== null && Math.abs(machineAheadMs) >= JUMP_MS)
      log.warn(jump, "the service follows the machine's clock, as the database shows the same time")
    heldSince = null
    systemClock.correct(machineAheadMs)
  }
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.debug({ err: error }, "the database's clock cannot be read"))
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

/** Returns how long the machine was suspended since the last call: the uptime counts that time, and the process does not. */
function openSuspension(): () => number {
  let before = uptime() * 1000 - performance.now()
  return () => {
    const now = uptime() * 1000 - performance.now()
    const suspendedMs = now - before
    before = now
    return suspendedMs
  }
}
