/** The days that a list of payments can be cut to. */

import { may } from '../../access/roles.ts'
import { oldestId } from '../../id.ts'
import { takeDay } from '../../operator/finding/day.ts'
import { readOnlyDays } from '../../operator/finding/find.ts'
import type { OwnVisit } from '../page.ts'
import type { View } from '../world.ts'

export const DAYS = ['today', 'yesterday', 'week', 'all'] as const
export type Day = (typeof DAYS)[number]
const WEEK_MS = 7 * 86_400_000

/** Returns the bounds of the ids of payments that were created then, in the shop's time zone. */
export function boundsOf(day: Day, { ctx, timeZone }: View): { fromId?: string; toId?: string } {
  if (day === 'all') return {}
  const now = ctx.clock.now()
  const { days } = takeDay(day === 'yesterday' ? 'yesterday' : 'today', now, timeZone)
  if (!days) return {}
  const idAt = (at: Date) => oldestId(ctx.world, 'pay', at)
  if (day === 'week') return { fromId: idAt(new Date(days.until.getTime() - WEEK_MS)) }
  return { fromId: idAt(days.since), toId: idAt(days.until) }
}

/** Whether the text lists the payments of other days than today, which not every role may see. A payment is found by anything else. */
export function isOtherDay({ user }: OwnVisit, { ctx, timeZone }: View, text: string): boolean {
  if (may(user, 'payment history')) return false
  const days = readOnlyDays(ctx, text, timeZone)
  const today = takeDay('today', ctx.clock.now(), timeZone).days
  return days !== null && (today === null || days.since < today.since)
}
