/**
 * Reads a day or a time as people and banks write it: `28.11.2026 14:05`, `11/28/2026 1:05 PM`, `28 Nov 2026`, `2026-11-28T10:15+04`.
 * Rule: the whole text is read, or nothing of it. A day that no calendar has, and a zone that is not known, are no time.
 */
import { isWeekday, monthNamed } from './month.ts'
import { clockAhead, offsetNamed } from './zone.ts'

/** The order of the parts of a day that is written in digits. In `yymmdd` the year has two digits. */
export const DAY_ORDERS = ['ymd', 'dmy', 'mdy', 'yymmdd'] as const
export type DayOrder = (typeof DAY_ORDERS)[number]

const TEXT_CHARS_MAX = 64
const YEARS = { first: 1990, last: 2100 }
const PLACES = { ymd: [0, 1, 2], dmy: [2, 1, 0], mdy: [2, 0, 1], yymmdd: [0, 1, 2] } as const

/** `28. 11. 2026` of Czech banks, `28.11.2026.` of Croatian ones, `2026. 11. 28.` of Hungarian ones. */
const SPACED = /^(\d{1,4})\. ?(\d{1,2})\. ?(\d{1,4})(?:\.(?= |$))?(?!\d)/
const IN_DIGITS = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?!\d)/
const DIGITS_ALONE = /^(\d{8})(?=\d{4}(?:\d\d)?(?!\d)|\D|$)/
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th)?[-/. ]{0,2}(\p{L}{3,12})\.?,?[-/. ]{0,2}(\d{4}|\d{2})(?!\d)/u
const MONTH_FIRST = /^(\p{L}{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/u
const YEAR_FIRST = /^(\d{4})[-/. ](\p{L}{3,12})\.?[-/. ](\d{1,2})(?!\d)/u
/** The Russian and the Armenian word for a year behind it. */
const YEAR_WORD = /^ ?(?:г\.?|года|թ\.?)(?![\p{L}])/u
const CLOCK =
  /^(?:T|,? |,? (?:at|um|в) | [/–-] )?(\d{1,2})[:.](\d\d)(?:[:.](\d\d)(?:[.,]\d{1,9})?)?(?!\d)(?: ?([AP])\.?M\.?(?!\p{L})| Uhr)?/iu
const CLOCK_ALONE = /^T?(\d\d)(\d\d)(\d\d)?(?:\.\d{1,9})?/
/** A day of XML may have a zone: `2026-11-28+01:00`. It stays that day. */
const ZONE_ALONE = /^(?:Z|[+-]\d\d:\d\d)$/

/** A day as our own commands and forms write it, such as `2026-08-02`. `Date` makes 2 March of 30 February. */
export const isCalendarDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && readTime(text, { order: 'ymd', timeZone: 'UTC' }) !== null

type Day = { year: number; month: number; day: number; rest: string }

/**
 * Returns null if the text is no time. A day without a time begins the day. Without an offset, the time is one of `timeZone`.
 * `order`: a name of a month needs none.
 */
export function readTime(
  text: string,
  { order, timeZone }: { order: DayOrder; timeZone: string },
): Date | null {
  if (text.length > TEXT_CHARS_MAX) return null
  const plain = text.replaceAll(/\s+/g, ' ').trim().replace(SPACED, '$1.$2.$3')
  // "mar 4" is a day of March, and "mar 4 mars" a Tuesday, so the name of a weekday is only looked for if nothing else fits.
  const found = dayIn(plain, order) ?? dayIn(withoutWeekday(plain), order)
  if (!found) return null
  const { year, month, day, rest } = found
  const clock = clockIn(rest)
  if (!clock || !isDay(year, month, day)) return null
  const localMs = Date.UTC(year, month - 1, day, clock.hour, clock.minute, clock.second)
  if (clock.rest === '') return new Date(localMs - clockAhead(localMs, timeZone))
  const offsetMs = offsetNamed(clock.rest, localMs, timeZone)
  return offsetMs === null ? null : new Date(localMs - offsetMs)
}

function dayIn(text: string, order: DayOrder): Day | null {
  const digits = IN_DIGITS.exec(text)
  if (digits) {
    const [all, first = '', , second = '', third = ''] = digits
    return dayOf([first, second, third], order, text.slice(all.length).replace(YEAR_WORD, ''))
  }
  const [alone] = DIGITS_ALONE.exec(text) ?? []
  if (alone !== undefined) {
    const parts = order === 'ymd' ? [4, 6] : [2, 4]
    const [one = 0, two = 0] = parts
    return dayOf([alone.slice(0, one), alone.slice(one, two), alone.slice(two)], order, text.slice(8))
  }
  return dayWithMonth(text, order)
}

const WEEKDAY_FIRST = /^(\p{L}{2,12})\.?,? /u

function withoutWeekday(text: string): string {
  const [all = '', name = ''] = WEEKDAY_FIRST.exec(text) ?? []
  return isWeekday(name) ? text.slice(all.length) : ''
}

/** `26-11-28` may be of 2026 or of 2028. The order says which. Statements of before 2020 are nobody's here. */
const SHORT_YEAR_FIRST = /^[2-9]\d$/

function dayOf(parts: string[], order: DayOrder, rest: string): Day | null {
  const [year = '', month = '', day = ''] = PLACES[order].map((at) => parts[at])
  const fits = order === 'yymmdd' ? SHORT_YEAR_FIRST.test(year) : isYear(year, order !== 'ymd')
  if (!fits) return null
  return { year: yearOf(year), month: Number(month), day: day.length > 2 ? 0 : Number(day), rest }
}

/** `26-Nov-28` may begin with its year too, and `26th Nov 28` may not. */
const SHORT_YEAR_BEFORE_NAME = /^[2-9]\d(?!st|nd|rd|th)/i

function dayWithMonth(text: string, order: DayOrder): Day | null {
  const forms: [RegExp, [year: number, month: number, day: number]][] = [
    [DAY_FIRST, [3, 2, 1]],
    [MONTH_FIRST, [3, 1, 2]],
    [YEAR_FIRST, [1, 2, 3]],
  ]
  for (const [form, [year, month, day]] of forms) {
    const found = form.exec(text)
    const number = found && monthNamed(found[month] ?? '')
    if (!number) continue
    const isYearFirst = order === 'yymmdd' && found[year]?.length === 2
    if (isYearFirst && !SHORT_YEAR_BEFORE_NAME.test(text)) return null
    return {
      year: yearOf(found[isYearFirst ? day : year] ?? ''),
      month: number,
      day: Number(found[isYearFirst ? year : day]),
      rest: text.slice(found[0].length).replace(YEAR_WORD, ''),
    }
  }
  return null
}

const isYear = (text: string, mayBeShort: boolean) => text.length === 4 || (mayBeShort && text.length === 2)
const yearOf = (text: string) => (text.length === 2 ? 2000 + Number(text) : Number(text))

function isDay(year: number, month: number, day: number): boolean {
  if (year < YEARS.first || year > YEARS.last || month < 1 || month > 12 || day < 1) return false
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

type Clock = { hour: number; minute: number; second: number; rest: string }

/** Returns null for a time that no clock shows. */
function clockIn(text: string): Clock | null {
  const alone = text.trim()
  if (alone === '' || ZONE_ALONE.test(alone)) return { hour: 0, minute: 0, second: 0, rest: '' }
  const found = CLOCK.exec(text) ?? CLOCK_ALONE.exec(text)
  if (!found) return null
  const [all, hours = '', minutes = '', seconds = '0', half] = found
  const hour = Number(hours)
  if (half !== undefined && (hour < 1 || hour > 12)) return null
  const clock = {
    hour: half === undefined ? hour : (hour % 12) + (/p/i.test(half) ? 12 : 0),
    minute: Number(minutes),
    second: Number(seconds),
    rest: text.slice(all.length).trim(),
  }
  return clock.hour > 23 || clock.minute > 59 || clock.second > 59 ? null : clock
}
