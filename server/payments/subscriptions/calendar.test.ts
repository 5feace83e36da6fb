import { describe, expect, test } from 'vitest'
import { INTERVALS } from '../../contract/subscription.ts'
import { addIntervals, periodAt, periodOf } from './calendar.ts'

const day = (text: string) => new Date(`${text}T10:20:30.456Z`)
const dayOf = (date: Date) => date.toISOString().slice(0, 10)

describe('dates', () => {
  test.each([
    ['2026-01-31', 'month', '2026-02-28 2026-03-31 2026-04-30 2026-05-31 2026-06-30 2026-07-31 2026-08-31'],
    ['2027-12-31', 'month', '2028-01-31 2028-02-29 2028-03-31 2028-04-30'],
    ['2026-01-30', 'month', '2026-02-28 2026-03-30 2026-04-30'],
    ['2026-12-15', 'month', '2027-01-15 2027-02-15'],
    ['2026-11-30', 'quarter', '2027-02-28 2027-05-30 2027-08-30 2027-11-30 2028-02-29'],
    ['2028-02-29', 'year', '2029-02-28 2030-02-28 2031-02-28 2032-02-29'],
    ['2026-12-30', 'day', '2026-12-31 2027-01-01'],
    ['2026-02-20', 'week', '2026-02-27 2026-03-06 2026-03-13'],
  ] as const)('from %s by the %s', (anchor, interval, expected) => {
    const dates = expected.split(' ')
    expect(dates.map((_, index) => dayOf(addIntervals(day(anchor), interval, index + 1)))).toEqual(dates)
  })

  test('keep the anchor’s time of day in UTC, also when countries change to daylight saving time', () => {
    for (const interval of INTERVALS)
      for (let count = 0; count < 400; count++)
        expect(addIntervals(day('2026-01-31'), interval, count).toISOString()).toMatch(/T10:20:30\.456Z$/)
  })
})

/** Yields the same pseudo-random numbers in each run, so that a failure can be repeated. */
function* numbers(seed: number): Generator<number> {
  for (let value = seed; ; ) {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648
    yield value / 2_147_483_648
  }
}

describe('for 2,000 random anchors within 30 years', () => {
  const random = numbers(7)
  const next = () => random.next().value as number
  const cases = Array.from({ length: 2_000 }, () => ({
    anchor: new Date(Date.UTC(2020, 0, 1) + Math.floor(next() * 30 * 365.25 * 86_400_000)),
    interval: INTERVALS[Math.floor(next() * INTERVALS.length)] ?? 'month',
    number: 1 + Math.floor(next() * 200),
  }))

  test('periods follow each other without a gap, and periodAt finds the period of each moment', () => {
    for (const { anchor, interval, number } of cases) {
      const { start, end } = periodOf(anchor, interval, number)
      expect(end > start).toBe(true)
      expect(periodOf(anchor, interval, number + 1).start).toEqual(end)
      expect(periodAt(anchor, interval, start)).toBe(number)
      expect(periodAt(anchor, interval, new Date(end.getTime() - 1))).toBe(number)
      expect(periodAt(anchor, interval, end)).toBe(number + 1)
    }
  })

  test('the day of the month is the anchor’s day, or the last day of a shorter month', () => {
    for (const { anchor, interval, number } of cases) {
      if (interval === 'day' || interval === 'week') continue
      const date = addIntervals(anchor, interval, number)
      const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
      expect(date.getUTCDate()).toBe(Math.min(anchor.getUTCDate(), lastDay))
      const months = { month: 1, quarter: 3, year: 12 }[interval] * number
      const monthOf = (each: Date) => each.getUTCFullYear() * 12 + each.getUTCMonth()
      expect(monthOf(date) - monthOf(anchor)).toBe(months)
    }
  })

  test('a period is never shorter or longer than its interval can be', () => {
    const days = { day: [1, 1], week: [7, 7], month: [28, 31], quarter: [89, 92], year: [365, 366] }
    for (const { anchor, interval, number } of cases) {
      const { start, end } = periodOf(anchor, interval, number)
      const length = (end.getTime() - start.getTime()) / 86_400_000
      expect(length).toBeGreaterThanOrEqual(days[interval][0] ?? 0)
      expect(length).toBeLessThanOrEqual(days[interval][1] ?? 0)
    }
  })
})
