/** The days that people name: today, Tuesday, 2 August, 02.08.2026. Returned in one time zone. */
import { dayOf, momentOf } from '../../contract/time-zone.ts'

export type Days = { since: Date; until: Date }

const DAY_MS = 86_400_000
const FIRST_YEAR = 2000
/** The first letters of the names, in English, Russian and Armenian. A name that is longer begins with them. */
const WEEKDAYS = [
  'sun|воскр|կիրակ',
  'mon|понед|երկուշ',
  'tue|вторн|երեքշ',
  'wed|сред|չորեքշ',
  'thu|четв|հինգշ',
  'fri|пятн|ուրբ',
  'sat|субб|շաբաթ',
]
const MONTHS = [
  'jan|янв|հունվ',
  'feb|фев|փետր',
  'mar|мар|մարտ',
  'apr|апр|ապր',
  'may|ма[йя]|մայ',
  'jun|июн|հունիս',
  'jul|июл|հուլիս',
  'aug|авг|օգոս',
  'sep|сен|սեպ',
  'oct|окт|հոկ',
  'nov|ноя|նոյ',
  'dec|дек|դեկ',
]
const AGO: readonly (readonly [RegExp, number])[] = [
  [/(?<!\p{L})(today|сегодня|այսօր)(?!\p{L})/u, 0],
  [/(?<!\p{L})(yesterday|вчера|երեկ)(?!\p{L})/u, 1],
]
const named = (names: string) => `(?<!\\p{L})(?:${names})\\p{L}*`
/** A date within a longer number is a part of an order. Behind a date may stand its time, and in Russian the word for a year. */
const dateOf = (form: string) =>
  new RegExp(
    String.raw`(?<![\p{L}\p{N}/_-]|\d\.)${form}(?:\s?г(?:\.|ода?)?(?!\p{L})|(?=t\d\d:)|(?![\p{L}\p{N}/_-]|\.\d))`,
    'u',
  )
const ISO = dateOf(String.raw`(\d{4})([-/])(\d\d)\2(\d\d)`)
const DOTTED = dateOf(String.raw`(\d{1,2})([./-])(\d{1,2})\2(\d{4}|(?<!-)\d\d)`)

/** Returns the day that the text names, and the text without it. `zone`: an IANA name. */
export function takeDay(text: string, now: Date, zone: string): { days: Days | null; rest: string } {
  const today = dayOf(now, zone)
  const found =
    findAgo(text, today) ?? findDate(text, today) ?? findMonthDay(text, today) ?? findWeekday(text, today)
  if (!found) return { days: null, rest: text }
  const since = momentOf(found.day, zone)
  const until = momentOf(found.day + DAY_MS, zone)
  return { days: { since, until }, rest: text.replace(found.matched, ' ') }
}

/** `day`: midnight of that day in UTC, in milliseconds. */
type FoundDay = { day: number; matched: string } | null

function findAgo(text: string, today: number): FoundDay {
  for (const [pattern, days] of AGO) {
    const matched = pattern.exec(text)?.[0]
    if (matched) return { day: today - days * DAY_MS, matched }
  }
  return null
}

function findDate(text: string, today: number): FoundDay {
  const iso = ISO.exec(text)
  if (iso) return dayInYear(iso[0], Number(iso[1]), Number(iso[3]), Number(iso[4]), today)
  const dotted = DOTTED.exec(text)
  if (!dotted) return null
  const [matched, first, sign, second, last] = dotted
  const year = Number(last) < 100 ? 2000 + Number(last) : Number(last)
  const found = dayInYear(matched, year, Number(second), Number(first), today)
  // In America the month stands first. Where both may be meant, the day does.
  return found ?? (sign === '/' ? dayInYear(matched, year, Number(first), Number(second), today) : null)
}

function findMonthDay(text: string, today: number): FoundDay {
  for (const [index, names] of MONTHS.entries()) {
    const day = String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th|-?го)?`
    const pattern = new RegExp(
      `${day}\\s+${named(names)}(?:,?\\s+(\\d{4})(?!\\d))?|${named(names)}\\s+${day}(?!\\d)(?:,?\\s+(\\d{4})(?!\\d))?`,
      'u',
    )
    const match = pattern.exec(text)
    if (match) {
      const dayText = match[2] ?? match[4]
      const day = Number(match[1] ?? match[3])
      if (dayText === undefined) return dayInYear(match[0], null, index + 1, day, today)
      // Another number behind the day is a sum.
      const isYear = Number(dayText) >= FIRST_YEAR && Number(dayText) <= new Date(today).getUTCFullYear() + 1
      return isYear
        ? dayInYear(match[0], Number(dayText), index + 1, day, today)
        : dayInYear(match[0].replace(/,?\s+\d{4}$/, ''), null, index + 1, day, today)
    }
  }
  return null
}

function findWeekday(text: string, today: number): FoundDay {
  for (const [weekday, names] of WEEKDAYS.entries()) {
    const matched = new RegExp(named(names), 'u').exec(text)?.[0]
    if (matched === undefined) continue
    const ago = (new Date(today).getUTCDay() - weekday + 7) % 7
    return { day: today - ago * DAY_MS, matched }
  }
  return null
}

/** `year`: null for the latest such day that is not in the future. */
function dayInYear(
  matched: string,
  year: number | null,
  month: number,
  day: number,
  today: number,
): FoundDay {
  const thisYear = new Date(today).getUTCFullYear()
  const days = new Date(Date.UTC(year ?? thisYear, month, 0)).getUTCDate()
  if (month < 1 || month > 12 || day < 1 || day > days) return null
  const first = Date.UTC(year ?? thisYear, month - 1, day)
  return { day: year === null && first > today ? Date.UTC(thisYear - 1, month - 1, day) : first, matched }
}
