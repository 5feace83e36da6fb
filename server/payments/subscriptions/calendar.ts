/**
 * Calculates when a subscription's periods begin and end, in UTC.
 * Rule: every date is calculated from the anchor, never from the previous date. So 31 January is followed by 28 February and then
 * by 31 March, always at the anchor's time of day.
 */
import type { SubscriptionInterval } from '../../contract/subscription.ts'

const DAY_MS = 86_400_000

/** An interval is a fixed number of days, or a number of calendar months. */
const LENGTHS: Record<SubscriptionInterval, { days: number } | { months: number }> = {
  day: { days: 1 },
  week: { days: 7 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { months: 12 },
}
/** The longest month. periodAt divides by it, so that its first guess is never too high. */
const MONTH_DAYS_MAX = 31

export type Period = { start: Date; end: Date }

/** Returns the anchor plus `count` intervals. If the month is too short for the anchor's day, its last day is used. */
export function addIntervals(anchor: Date, interval: SubscriptionInterval, count: number): Date {
  const length = LENGTHS[interval]
  if ('days' in length) return new Date(anchor.getTime() + length.days * count * DAY_MS)
  const month = anchor.getUTCMonth() + length.months * count
  const lastDay = new Date(Date.UTC(anchor.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const date = new Date(anchor)
  date.setUTCFullYear(anchor.getUTCFullYear(), month, Math.min(anchor.getUTCDate(), lastDay))
  return date
}

/** Returns a period. `number` starts at 1. A period ends when the next one begins. */
export function periodOf(anchor: Date, interval: SubscriptionInterval, number: number): Period {
  return { start: addIntervals(anchor, interval, number - 1), end: addIntervals(anchor, interval, number) }
}

/** Returns the number of the period that contains `at`. `at` must not be before the anchor. */
export function periodAt(anchor: Date, interval: SubscriptionInterval, at: Date): number {
  const length = LENGTHS[interval]
  const daysMax = 'days' in length ? length.days : length.months * MONTH_DAYS_MAX
  let number = Math.max(1, Math.floor((at.getTime() - anchor.getTime()) / (daysMax * DAY_MS)))
  while (addIntervals(anchor, interval, number) <= at) number++
  return number
}
