/** The times about which the statements of an account are complete: every entry in them must be on a statement. */
import type { Complete } from './compare.ts'

type Range = { fromAt: Date; untilAt: Date }
/** Before this long an entry at the edge of all statements may be on the next one. */
const EDGE_MS = 86_400_000

/** The time that this statement and those that join it cover, without its edges. */
export function completeTime(
  all: readonly Range[],
  { from, until }: { from: Date; until: Date },
): Complete | null {
  let [first, last] = [from.getTime(), until.getTime()]
  for (let before = Number.NaN; before !== last - first; ) {
    before = last - first
    for (const { fromAt, untilAt } of all)
      if (fromAt.getTime() <= last + EDGE_MS && untilAt.getTime() >= first - EDGE_MS) {
        first = Math.min(first, fromAt.getTime())
        last = Math.max(last, untilAt.getTime())
      }
  }
  if (last - first <= 2 * EDGE_MS) return null
  return { from: new Date(first + EDGE_MS), until: new Date(last - EDGE_MS) }
}

/** Each such time once. */
export function completeTimes(all: readonly Range[]): Complete[] {
  const times = new Map<number, Complete>()
  for (const { fromAt, untilAt } of all) {
    const time = completeTime(all, { from: fromAt, until: untilAt })
    if (time) times.set(time.from.getTime(), time)
  }
  return [...times.values()]
}
