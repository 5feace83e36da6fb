/**
 * When a subscription's periods begin and end, in UTC. Law: every date is counted from the anchor, never from the date
 * before it, so that 31 January, 28 February and 31 March follow each other, at the anchor's time of day.
 */
import type { SubscriptionInterval } from '../../contract/subscription.ts'

const DAY_MS = 86_400_000

/** A fixed number of days, or of months whose lengths differ. */
const LENGTHS: Record<SubscriptionInterval, { days: number } | { months: number }> = {
  day: { days: 1 },
  week: { days: 7 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { months: 12 },
}
/** No month is longer; dividing by it never counts too many. */
const MONTH_DAYS_MAX = 31

export type Period = { start: Date; end: Date }

/** The anchor and `count` intervals. A day that the month does not have is its last. */
export function addIntervals(anchor: Date, interval: SubscriptionInterval, count: number): Date {
  const length = LENGTHS[interval]
  if ('days' in length) return new Date(anchor.getTime() + length.days * count * DAY_MS)
  const month = anchor.getUTCMonth() + length.months * count
  const lastDay = new Date(Date.UTC(anchor.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const date = new Date(anchor)
  date.setUTCFullYear(anchor.getUTCFullYear(), month, Math.min(anchor.getUTCDate(), lastDay))
  return date
}

/** `number` is counted from 1. A period ends when the next one begins. */
export function periodOf(anchor: Date, interval: SubscriptionInterval, number: number): Period {
  return { start: addIntervals(anchor, interval, number - 1), end: addIntervals(anchor, interval, number) }
}

/** The number of the period that `at`, which is not before the anchor, lies in. */
export function periodAt(anchor: Date, interval: SubscriptionInterval, at: Date): number {
  const length = LENGTHS[interval]
  const daysMax = 'days' in length ? length.days : length.months * MONTH_DAYS_MAX
  let number = Math.max(1, Math.floor((at.getTime() - anchor.getTime()) / (daysMax * DAY_MS)))
  while (addIntervals(anchor, interval, number) <= at) number++
  return number
}
