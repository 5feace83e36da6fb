/** The days that a list of payments can be cut to. */

import { may } from '../../acts/policy.ts'
import type { Context } from '../../context.ts'
import { dayOf, momentOf } from '../../contract/time-zone.ts'
import { takeDay } from '../../operator/finding/day.ts'
import { readOnlyDays } from '../../operator/finding/find.ts'
import { cutTo, type TimeCut } from '../../operator/finding/shop-days.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { TimeRange } from '../../reports/money-days.ts'
import type { OwnVisit } from '../page.ts'
import { translate } from '../words/translate.ts'
import type { View } from '../world.ts'

export const DAYS = ['today', 'yesterday', 'week', 'all'] as const
export type Day = (typeof DAYS)[number]
const WEEK_BEFORE_MS = 6 * 86_400_000

/** What the day of a list is about: when a payment was created, or when its money moved. */
export const TIMES_OF = ['created', 'moved'] as const
export type TimeOf = (typeof TIMES_OF)[number]

/** Returns the first moment of the day in the zone, and the first after it. An end is missing where the day has none. */
function timeOf(day: Day, ctx: Context, zone: string): Partial<TimeRange> {
  if (day === 'all') return {}
  const { days } = takeDay(day === 'yesterday' ? 'yesterday' : 'today', ctx.clock.now(), zone)
  if (!days) return {}
  // A day of the week may have another length than 24 hours.
  return day === 'week' ? { since: momentOf(dayOf(ctx.clock.now(), zone) - WEEK_BEFORE_MS, zone) } : days
}

/** Returns what a list takes of the day that each shop has. */
export const cutOfDay = (of: TimeOf, day: Day, { ctx, zones }: View): TimeCut =>
  cutTo(ctx, of, zones, (zone) => timeOf(day, ctx, zone))

/** Whether the text lists the payments of other days than today, which not every role may see. A payment is found by anything else. */
export function isOtherDay({ user }: OwnVisit, { ctx, timeZone }: View, text: string): boolean {
  if (may(user, 'payment history')) return false
  const days = readOnlyDays(ctx, text, timeZone)
  const today = takeDay('today', ctx.clock.now(), timeZone).days
  return days !== null && (today === null || days.since < today.since)
}

/** What a screen of shops in several time zones says of its days, instead of one zone. */
export function dayRule({ locale, shown }: Pick<OwnVisit, 'locale' | 'shown'>, { zones }: View): Markup {
  if (zones.length === 1) return null
  delete shown.timeZone
  return html`<p class="hint">${translate(locale, 'zonesOfShops')}</p>`
}
