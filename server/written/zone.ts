/** How far clocks are ahead of UTC: by an offset or a short name behind a time, and in a time zone. */
import { isTimeZone } from '../contract/time-zone.ts'

const MINUTE_MS = 60_000
const OFFSET = /^(?:(?:GMT|UTC) ?)?([+\-−])(\d{1,2})(?::?([0-5]\d))?$/i
/** OFX writes `[-5:EST]` behind a time. */
const BRACKETS = /^\[([+-]?\d{1,2})(?:\.(\d\d))?(?::[\p{L}\d]*)?\]$/u
const HOURS_MAX = 14

/** Short names in minutes ahead of UTC. If a name has two meanings, the one of the statement's own zone counts. */
const NAMES: Record<string, readonly number[]> = {
  Z: [0],
  UTC: [0],
  GMT: [0],
  WET: [0],
  BST: [60, 360],
  WEST: [60],
  CET: [60],
  MEZ: [60],
  CEST: [120],
  MESZ: [120],
  EET: [120],
  EEST: [180],
  MSK: [180],
  МСК: [180],
  GET: [240],
  AMT: [240, -240],
  IST: [330, 120, 60],
  HKT: [480],
  SGT: [480],
  JST: [540],
  AEST: [600],
  AEDT: [660],
  NZST: [720],
  NZDT: [780],
  EST: [-300],
  EDT: [-240],
  CST: [-360, 480],
  CDT: [-300],
  MST: [-420],
  MDT: [-360],
  PST: [-480],
  PDT: [-420],
  BRT: [-180],
}

/** Returns how far the clock was ahead, in milliseconds, or null if the text names no offset. */
export function offsetNamed(text: string, localMs: number, timeZone: string): number | null {
  const plain = text.replace(/^\((.*)\)$/, '$1')
  const [, sign, hours = '', minutes = '0'] = OFFSET.exec(plain) ?? []
  if (sign !== undefined) {
    if (Number(hours) > HOURS_MAX) return null
    const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
    return sign === '+' ? ms : 0 - ms
  }
  const [, ahead, part = '0'] = BRACKETS.exec(text) ?? []
  if (ahead !== undefined) {
    const hoursAhead = Number(ahead)
    return Math.abs(hoursAhead) > HOURS_MAX
      ? null
      : (hoursAhead + Math.sign(hoursAhead) * (Number(part) / 100)) * 60 * MINUTE_MS
  }
  if (plain.includes('/') && isTimeZone(plain)) return clockAhead(localMs, plain)
  const known = NAMES[plain.toUpperCase()]
  if (!known) return null
  const [only = 0, ...others] = known.map((each) => each * MINUTE_MS)
  if (others.length === 0) return only
  const here = clockAhead(localMs, timeZone)
  return [only, ...others].includes(here) ? here : null
}

const clocks = new Map<string, Intl.DateTimeFormat>()
/** By zone and hour. Lines of a statement stand in few hours. */
const known = new Map<string, Map<number, number>>()
const HOUR_MS = 3_600_000
const HOURS_KEPT = 10_000

/** How far a clock in the zone is ahead of UTC when it shows this time. In the hour that is shown twice, the later one counts. */
export function clockAhead(localMs: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const hour = Math.floor(localMs / HOUR_MS)
  const hours = known.get(timeZone) ?? new Map<number, number>()
  const kept = hours.get(hour)
  if (kept !== undefined) return kept
  const aheadMs = aheadAt(localMs - aheadAt(localMs, timeZone), timeZone)
  if (hours.size >= HOURS_KEPT) hours.clear()
  known.set(timeZone, hours.set(hour, aheadMs))
  return aheadMs
}

function aheadAt(ms: number, timeZone: string): number {
  const clock = clocks.get(timeZone) ?? newClock(timeZone)
  clocks.set(timeZone, clock)
  const part = Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  return Date.UTC(year, month - 1, day, hour, minute, second) - ms
}

const newClock = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
