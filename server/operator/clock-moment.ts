/** One moment of a journey through time: doing whatever is due at it, and finding the next. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { FALLS_DUE, type FallsDue } from '../worker/falls-due.ts'

/** How many rows each kind of work took up; turns, where it does not say. */
export type Done = Record<string, number>

const KINDS = Object.entries(FALLS_DUE) as [string, FallsDue][]
/** What is still due after so many turns is left behind. */
const TURNS_MAX = 1_000
const LEFT_BEHIND_MS = 60_000
/** The other processes of the service follow the clock this much later. */
export const FOLLOWED_MS = 350

/** What has work, and when; `at` may have passed. */
export type Due = { name: string; kind: FallsDue; at: Date }

/**
 * Does what is due by the context's clock, the longest due first, until nothing is. `known`: what has just been found to
 * have work. Answers what was done, and what has work later.
 */
export async function workWhileDue(ctx: Context, known?: Due[]): Promise<{ done: Done; later: Due[] }> {
  const done: Done = {}
  const turns = new Map<string, number>()
  let followed = false
  let all = known ?? (await listNext(ctx))
  for (;;) {
    const due = listDue(ctx, all).filter(({ name }) => (turns.get(name) ?? 0) < TURNS_MAX)
    if (due.length === 0) break
    for (const { name, kind } of due) {
      if (kind.asksService && !followed) await sleep(FOLLOWED_MS)
      followed ||= kind.asksService === true
      const count = await kind.work(ctx)
      turns.set(name, (turns.get(name) ?? 0) + 1)
      done[name] = (done[name] ?? 0) + (typeof count === 'number' ? count : 1)
    }
    all = await listNext(ctx)
  }
  for (const [name, count] of turns)
    if (count >= TURNS_MAX) ctx.log.warn({ kind: name }, 'still due after many turns, and left behind')
  return { done, later: all }
}

function listDue(ctx: Context, all: Due[]): Due[] {
  const now = ctx.clock.now()
  return all.filter(({ at }) => at <= now).sort((one, other) => one.at.getTime() - other.at.getTime())
}

async function listNext(ctx: Context): Promise<Due[]> {
  const found = await Promise.all(
    KINDS.map(async ([name, kind]) => ({ name, kind, at: (await kind.nextDueAt?.(ctx)) ?? null })),
  )
  return found.filter((each): each is Due => each.at !== null)
}

/** The next moment of those; null when there is none. What was left behind is tried again a minute later. */
export function nextMoment(ctx: Context, later: Due[]): Date | null {
  const now = ctx.clock.now().getTime()
  const times = later.map(({ at }) => (at.getTime() > now ? at.getTime() : now + LEFT_BEHIND_MS))
  return times.length > 0 ? new Date(Math.min(...times)) : null
}

/** What has no moment of its own, once the clock has arrived. */
export async function workAtEnd(ctx: Context): Promise<void> {
  for (const [, { nextDueAt, work }] of KINDS) if (!nextDueAt) await work(ctx)
}
