/** Does the work that is due at one moment of the sandbox clock, and finds the next moment. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { FALLS_DUE, type FallsDue } from '../worker/due-times.ts'

/** The number of rows that each kind of work processed. For a kind that reports no rows, the number of its runs. */
export type Done = Record<string, number>

const KINDS = Object.entries(FALLS_DUE) as [string, FallsDue][]
/** Work that is still due after this many runs is retried LEFT_BEHIND_MS later. */
const RUNS_MAX = 1_000
const LEFT_BEHIND_MS = 60_000
/** The other processes of the service read the moved clock within this time. */
export const FOLLOWED_MS = 350

/** A kind of work and the moment when it is due. `at` may be in the past. */
export type Due = { name: string; kind: FallsDue; at: Date }

/**
 * Does the work that is due by the context's clock, longest due first, until none is left. `known`: the kinds that were just
 * found to have work. Returns what was done, and the kinds that have work later.
 */
export async function workWhileDue(ctx: Context, known?: Due[]): Promise<{ done: Done; later: Due[] }> {
  const done: Done = {}
  const runs = new Map<string, number>()
  let followed = false
  let all = known ?? (await listNext(ctx))
  for (;;) {
    const due = listDue(ctx, all).filter(({ name }) => (runs.get(name) ?? 0) < RUNS_MAX)
    if (due.length === 0) break
    for (const { name, kind } of due) {
      if (kind.asksService && !followed) await sleep(FOLLOWED_MS)
      followed ||= kind.asksService === true
      const count = await kind.work(ctx)
      runs.set(name, (runs.get(name) ?? 0) + 1)
      done[name] = (done[name] ?? 0) + (typeof count === 'number' ? count : 1)
    }
    all = await listNext(ctx)
  }
  for (const [name, count] of runs)
    if (count >= RUNS_MAX)
      ctx.log.warn({ kind: name }, 'work is still due after many runs; it is retried later')
  return { done, later: all }
}

function listDue(ctx: Context, all: Due[]): Due[] {
  const now = ctx.clock.now()
  return all.filter(({ at }) => at <= now).sort((one, other) => one.at.getTime() - other.at.getTime())
}

async function listNext(ctx: Context): Promise<Due[]> {
  const found = await ctx.share.run(() =>
    Promise.all(
      KINDS.map(async ([name, kind]) => ({ name, kind, at: (await kind.nextDueAt?.(ctx)) ?? null })),
    ),
  )
  return found.filter((each): each is Due => each.at !== null)
}

/** Returns the next moment with work; null if there is none. Work that was left behind is retried a minute later. */
export function nextMoment(ctx: Context, later: Due[]): Date | null {
  const now = ctx.clock.now().getTime()
  const times = later.map(({ at }) => (at.getTime() > now ? at.getTime() : now + LEFT_BEHIND_MS))
  return times.length > 0 ? new Date(Math.min(...times)) : null
}

/** Does the kinds of work that have no due time, after the clock has arrived. */
export async function workAtEnd(ctx: Context): Promise<void> {
  for (const [, { nextDueAt, work }] of KINDS) if (!nextDueAt) await work(ctx)
}
