/** The days that a list of payments can be cut to. */

import { may } from '../../acts/policy.ts'
import { oldestId } from '../../id.ts'
import { takeDay } from '../../operator/finding/day.ts'
import { readOnlyDays } from '../../operator/finding/find.ts'
import { EVER, type TimeRange } from '../../reports/money-days.ts'
import type { OwnVisit } from '../page.ts'
import type { View } from '../world.ts'

export const DAYS = ['today', 'yesterday', 'week', 'all'] as const
export type Day = (typeof DAYS)[number]
const WEEK_MS = 7 * 86_400_000

/** What the day of a list is about: when a payment was created, or when its money moved. */
export const TIMES_OF = ['created', 'moved'] as const
export type TimeOf = (typeof TIMES_OF)[number]

/** What a list takes of a time: the ids of the payments that were created in it, or the time itself. */
export type TimeCut = { fromId?: string | null; toId?: string | null; moved?: TimeRange | null }

/** Returns the first moment of the day in the shop's time zone, and the first after it. Undefined where the day has no such bound. */
function timeOf(day: Day, { ctx, timeZone }: View): Partial<TimeRange> {
  if (day === 'all') return {}
  const { days } = takeDay(day === 'yesterday' ? 'yesterday' : 'today', ctx.clock.now(), timeZone)
  if (!days) return {}
  return day === 'week' ? { since: new Date(days.until.getTime() - WEEK_MS) } : days
}

export function cutBy(of: TimeOf, { since, until }: Partial<TimeRange>, { ctx }: Pick<View, 'ctx'>): TimeCut {
  if (!since && !until) return {}
  if (of === 'moved') return { moved: { since: since ?? EVER.since, until: until ?? EVER.until } }
  const idAt = (at: Date) => oldestId(ctx.world, 'pay', at)
  return { ...(since && { fromId: idAt(since) }), ...(until && { toId: idAt(until) }) }
}

/** Returns what a list takes of the day, in the shop's time zone. */
export const cutOfDay = (of: TimeOf, day: Day, view: View): TimeCut => cutBy(of, timeOf(day, view), view)

/** Returns the bounds of the ids of payments that were created then, in the shop's time zone. */
export function boundsOf(day: Day, view: View): { fromId?: string; toId?: string } {
  const { fromId, toId } = cutOfDay('created', day, view)
  return { ...(fromId && { fromId }), ...(toId && { toId }) }
}

/** Whether the text lists the payments of other days than today, which not every role may see. A payment is found by anything else. */
export function isOtherDay({ user }: OwnVisit, { ctx, timeZone }: View, text: string): boolean {
  if (may(user, 'payment history')) return false
  const days = readOnlyDays(ctx, text, timeZone)
  const today = takeDay('today', ctx.clock.now(), timeZone).days
  return days !== null && (today === null || days.since < today.since)
}
