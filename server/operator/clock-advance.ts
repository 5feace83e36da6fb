/**
 * Moves the sandbox clock ahead, from one moment with due work to the next, and does the due work at each moment.
 * Rule: while a process holds the clock, no worker works. The holder renews its hold every few seconds. If the holder dies,
 * the workers continue soon after, from the moment that the clock had reached.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, systemClock } from '../context.ts'
import { AppError } from '../errors.ts'
import { newSharedId } from '../id.ts'
import { isAnyOpening } from '../storage/payments/attempt-orders.ts'
import {
  countWorkingSandboxWorkers,
  findSandboxClock,
  holdSandboxClock,
  moveSandboxClock,
  releaseSandboxClock,
} from '../storage/sandbox/clock.ts'
import { DEAD_AFTER_MS } from '../worker/sandbox-worker.ts'
import { type Done, type Due, FOLLOWED_MS, nextMoment, workAtEnd, workWhileDue } from './clock-moment.ts'

export const ADVANCE_MAX_MS = 800 * 24 * 3_600_000
const HOLD_MS = 8_000
const HOLD_AGAIN_MS = 2_000
const WORKERS_PAUSE_WITHIN_MS = 60_000
const REQUESTS_END_WITHIN_MS = 5_000
const POLL_MS = 100
/** The clock stops at each of the first moments. After them it moves the rest of the way in equal steps. */
const EXACT_MOMENTS = 3_000
const STEPS = 1_000

export type Moment = { at: Date; done: Done }

/** `arrived`: false if the operator stopped it early. `moments`: the number of moments at which work was done. */
export type Advanced = {
  from: Date
  to: Date
  aheadMs: number
  moments: number
  done: Done
  arrived: boolean
}

/** `onCoarse` is called when the clock starts to move in steps of `stepMs`. */
type AdvanceSteps = { onMoment(moment: Moment): void; onCoarse(stepMs: number): void; signal: AbortSignal }
type ClockMover = { moveTo(aheadMs: number): Promise<void> }

/**
 * Moves the clock ahead by `byMs`. All work that becomes due on the way is done in order, in this process.
 * @throws AppError validation_failed in the live world or beyond ADVANCE_MAX_MS; request_in_progress while another process
 *   moves the clock, or if a worker does not pause.
 */
export async function advanceClock(ctx: Context, byMs: number, journey: AdvanceSteps): Promise<Advanced> {
  const clock = ctx.clock.sandbox
  if (!clock)
    throw new AppError('validation_failed', {
      reason: 'clock_live',
      message: 'The live world runs in real time. Only the clock of the sandbox can be moved.',
    })
  if (byMs <= 0 || byMs > ADVANCE_MAX_MS)
    throw new AppError('validation_failed', {
      reason: 'clock_far',
      message: 'The clock can be moved by at most 800 days at a time.',
    })
  const mover = newSharedId('wrk', systemClock.now())
  await hold(ctx, mover)
  const keeping = setInterval(() => void hold(ctx, mover).catch(() => {}), HOLD_AGAIN_MS)
  try {
    await untilWorkersPause(ctx)
    await untilRequestsEnd(ctx)
    clock.moveTo((await findSandboxClock(ctx.db)).offsetMs)
    const way = { startMs: clock.aheadMs(), byMs }
    const advanced = await travel(ctx, way, { ...journey, moveTo: (ms) => move(ctx, mover, ms) })
    // Wait until the processes of the service have read the new time, so their next responses use it.
    await sleep(FOLLOWED_MS)
    return advanced
  } finally {
    clearInterval(keeping)
    await releaseSandboxClock(ctx.db, mover)
  }
}

async function travel(
  ctx: Context,
  { startMs, byMs }: { startMs: number; byMs: number },
  { onMoment, onCoarse, signal, moveTo }: AdvanceSteps & ClockMover,
): Promise<Advanced> {
  const from = ctx.clock.now()
  const endMs = startMs + byMs
  const total: Done = {}
  let moments = 0
  const work = async (known?: Due[]) => {
    const { done, later } = await workWhileDue(ctx, known)
    if (Object.keys(done).length === 0) return later
    moments += 1
    for (const [name, count] of Object.entries(done)) total[name] = (total[name] ?? 0) + count
    onMoment({ at: ctx.clock.now(), done })
    return later
  }
  let later = await work()
  for (let count = 0; !signal.aborted; count++) {
    const next = nextMoment(ctx, later)
    const realMs = systemClock.now().getTime()
    if (!next || next.getTime() > realMs + endMs) break
    const now = ctx.clock.now().getTime()
    const stepMs = count < EXACT_MOMENTS ? 0 : (realMs + endMs - now) / STEPS
    if (count === EXACT_MOMENTS) onCoarse(stepMs)
    await moveTo(Math.min(endMs, Math.max(next.getTime(), now + stepMs) - realMs))
    later = await work(later)
  }
  const arrived = !signal.aborted
  if (arrived) {
    await moveTo(endMs)
    await work()
    await workAtEnd(ctx)
  }
  return {
    from,
    to: ctx.clock.now(),
    aheadMs: ctx.clock.sandbox?.aheadMs() ?? 0,
    moments,
    done: total,
    arrived,
  }
}

/** Stores the time before this process uses it, so no process is ever ahead of the database. */
async function move(ctx: Context, mover: string, aheadMs: number): Promise<void> {
  const offsetMs = Math.ceil(aheadMs)
  if (!(await moveSandboxClock(ctx.db, mover, { now: systemClock.now(), offsetMs })))
    throw new AppError('request_in_progress', {
      message:
        'This command was paused for too long, so the workers have continued without it. Run it again.',
    })
  ctx.clock.sandbox?.moveTo(offsetMs)
}

async function hold(ctx: Context, mover: string): Promise<void> {
  const now = systemClock.now()
  const until = new Date(now.getTime() + HOLD_MS)
  if (!(await holdSandboxClock(ctx.db, mover, { now, until })))
    throw new AppError('request_in_progress', {
      message: 'Somebody else is moving the clock. If that command was killed, try again in 8 seconds.',
    })
}

async function untilWorkersPause(ctx: Context): Promise<void> {
  const working = () =>
    countWorkingSandboxWorkers(ctx.db, new Date(systemClock.now().getTime() - DEAD_AFTER_MS))
  if (await untilTrue(WORKERS_PAUSE_WITHIN_MS, async () => (await working()) === 0)) return
  throw new AppError('request_in_progress', {
    message: 'A worker is still busy and does not pause. Try again in a minute.',
  })
}

/**
 * Waits for running requests, because moving the clock would end their leases. A lease that stays after the wait belongs to an
 * abandoned request.
 */
async function untilRequestsEnd(ctx: Context): Promise<void> {
  await untilTrue(REQUESTS_END_WITHIN_MS, async () => !(await isAnyOpening(ctx.db)))
}

async function untilTrue(withinMs: number, isTrue: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    if (await isTrue()) return true
    await sleep(POLL_MS)
  }
  return false
}
