/** Times as statements write them. */
import type { StatementFormat } from './statement-format.ts'

const ORDER = { ymd: [0, 1, 2], dmy: [2, 1, 0], mdy: [2, 0, 1] } as const
const TIME = /(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)? ?([AP]M)?/i
const OFFSET = /(?:([+-])(\d{2}):?(\d{2})|(Z))$/

/** Returns null if the text is no date. A date without a time begins the day. Without an offset, the time is one of `timeZone`. */
export function readTime(
  text: string,
  { dates, timeZone }: Pick<StatementFormat, 'dates' | 'timeZone'>,
): Date | null {
  const trimmed = text.trim()
  const parts = /^(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})/.exec(trimmed)?.slice(1).map(Number)
  if (!parts) return null
  const [year, month, day] = ORDER[dates].map((at) => parts[at] ?? 0) as [number, number, number]
  const [, hour = '0', minute = '0', second = '0', half] = TIME.exec(trimmed) ?? []
  const hours = half ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hour)
  const localMs = Date.UTC(
    year < 100 ? 2000 + year : year,
    month - 1,
    day,
    hours,
    Number(minute),
    Number(second),
  )
  if (Number.isNaN(localMs) || month > 12 || day > 31) return null
  const rest = trimmed.slice(trimmed.search(/\s|T/))
  const [found, sign, offsetHours, offsetMinutes] = OFFSET.exec(rest) ?? []
  if (found === undefined) return new Date(localMs - offsetOf(localMs, timeZone))
  const offsetMs = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * 60_000
  return new Date(sign === '-' ? localMs + offsetMs : localMs - offsetMs)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** How far a clock in the zone is ahead of UTC when it shows this time. In the hour that is shown twice, the later one counts. */
function offsetOf(localMs: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const aheadAt = (ms: number) => {
    const clock = clocks.get(timeZone) ?? newClock(timeZone)
    clocks.set(timeZone, clock)
    const part = Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
    return Date.UTC(year, month - 1, day, hour, minute, second) - ms
  }
  return aheadAt(localMs - aheadAt(localMs))
}

const newClock = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
