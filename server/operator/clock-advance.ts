/**
 * Moving the sandbox's clock ahead: from one moment at which something falls due to the next, doing at each what is due.
 * Law: while the clock is held nobody else works; whoever holds it says so every few seconds, so that the workers go on
 * soon after a mover that died, from the moment that it had reached.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, systemClock } from '../context.ts'
import { AppError } from '../errors.ts'
import { newSharedId } from '../id.ts'
import { findNextIdempotencyLease } from '../storage/payments/idempotency-keys.ts'
import {
  countWorkingSandboxWorkers,
  findSandboxClock,
  holdSandboxClock,
  letGoOfSandboxClock,
  moveSandboxClock,
} from '../storage/sandbox/clock.ts'
import { DEAD_AFTER_MS } from '../worker/sandbox-worker.ts'
import { type Done, type Due, FOLLOWED_MS, nextMoment, workAtEnd, workWhileDue } from './clock-moment.ts'

export const ADVANCE_MAX_MS = 800 * 24 * 3_600_000
const HOLD_MS = 8_000
const HOLD_AGAIN_MS = 2_000
const STILL_WITHIN_MS = 60_000
const REQUESTS_WITHIN_MS = 5_000
const LOOK_MS = 100
/** So many moments are gone to one by one; after them the rest of the way is taken in steps. */
const EXACT_MOMENTS = 3_000
const STEPS = 1_000

export type Moment = { at: Date; done: Done }

/** `arrived`: false when it was stopped on the way. `moments`: how many there were at which something was done. */
export type Advanced = {
  from: Date
  to: Date
  aheadMs: number
  moments: number
  done: Done
  arrived: boolean
}

/** `onCoarse`: from here on moments within `stepMs` are gone to as one. */
type Journey = { onMoment(moment: Moment): void; onCoarse(stepMs: number): void; signal: AbortSignal }
type Mover = { moveTo(aheadMs: number): Promise<void> }

/**
 * Lets `byMs` pass. Everything that falls due on the way happens, in order, in this process.
 * @throws AppError validation_failed outside of the sandbox or beyond ADVANCE_MAX_MS; request_in_progress while somebody
 *   else moves the clock, or a worker does not come to rest.
 */
export async function advanceClock(ctx: Context, byMs: number, journey: Journey): Promise<Advanced> {
  const clock = ctx.clock.sandbox
  if (!clock)
    throw new AppError('validation_failed', { message: 'Only the clock of sandbox mode can be moved.' })
  if (byMs <= 0 || byMs > ADVANCE_MAX_MS)
    throw new AppError('validation_failed', { message: 'The clock is moved by at most 800 days at a time.' })
  const mover = newSharedId('wrk', systemClock.now())
  await hold(ctx, mover)
  const keeping = setInterval(() => void hold(ctx, mover).catch(() => {}), HOLD_AGAIN_MS)
  try {
    await untilWorkersStand(ctx)
    await untilRequestsAreAnswered(ctx)
    clock.moveTo((await findSandboxClock(ctx.db)).offsetMs)
    const way = { startMs: clock.aheadMs(), byMs }
    const advanced = await travel(ctx, way, { ...journey, moveTo: (ms) => move(ctx, mover, ms) })
    // Whoever asks the service next is shown the time that was reached.
    await sleep(FOLLOWED_MS)
    return advanced
  } finally {
    clearInterval(keeping)
    await letGoOfSandboxClock(ctx.db, mover)
  }
}

async function travel(
  ctx: Context,
  { startMs, byMs }: { startMs: number; byMs: number },
  { onMoment, onCoarse, signal, moveTo }: Journey & Mover,
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

/** The database first: whoever follows it is never ahead of it. */
async function move(ctx: Context, mover: string, aheadMs: number): Promise<void> {
  const offsetMs = Math.ceil(aheadMs)
  if (!(await moveSandboxClock(ctx.db, mover, { now: systemClock.now(), offsetMs })))
    throw new AppError('request_in_progress', {
      message: 'This command was held up for so long that the workers went on without it. Run it again.',
    })
  ctx.clock.sandbox?.moveTo(offsetMs)
}

async function hold(ctx: Context, mover: string): Promise<void> {
  const now = systemClock.now()
  const until = new Date(now.getTime() + HOLD_MS)
  if (!(await holdSandboxClock(ctx.db, mover, { now, until })))
    throw new AppError('request_in_progress', {
      message: 'Somebody else is moving the clock. A command that was killed lets go of it within 8 seconds.',
    })
}

async function untilWorkersStand(ctx: Context): Promise<void> {
  const working = () =>
    countWorkingSandboxWorkers(ctx.db, new Date(systemClock.now().getTime() - DEAD_AFTER_MS))
  if (await untilTrue(STILL_WITHIN_MS, async () => (await working()) === 0)) return
  throw new AppError('request_in_progress', {
    message: 'A worker has something under way and does not come to rest. Try again in a minute.',
  })
}

/** A request that is being answered holds its key: it is not to find its lease run out. What stays is abandoned. */
async function untilRequestsAreAnswered(ctx: Context): Promise<void> {
  await untilTrue(REQUESTS_WITHIN_MS, async () => (await findNextIdempotencyLease(ctx.db)) === null)
}

async function untilTrue(withinMs: number, isTrue: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    if (await isTrue()) return true
    await sleep(LOOK_MS)
  }
  return false
}
