/** The kinds of flags: how the help shows each kind, and how its text becomes a value. */
import { momentOf } from '../contract/time-zone.ts'
import { AppError } from '../errors.ts'
import { isCalendarDay } from '../written/time.ts'

/** A declared flag. `read` gets every value that was given for it, and throws AppError for an invalid one. */
export type Flag<Value> = {
  /** The name of its value in the help; null for a switch. */
  placeholder: string | null
  need: 'required' | 'optional' | 'repeatable' | 'required repeatable'
  help: string
  read(given: string[]): Value
}

/** `callbackUrl` as an operator types it: `--callback-url`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

export function required(placeholder: string, help: string): Flag<string> {
  return { placeholder, need: 'required', help, read: ([text = '']) => text }
}

export function optional(placeholder: string, help: string): Flag<string | undefined> {
  return { placeholder, need: 'optional', help, read: ([text]) => text }
}

export function several(placeholder: string, help: string): Flag<string[]> {
  return { placeholder, need: 'required repeatable', help, read: (texts) => texts }
}

/** Any number of values; none is given by default. */
export function repeatable(placeholder: string, help: string): Flag<string[]> {
  return { placeholder, need: 'repeatable', help, read: (texts) => texts }
}

/** Most commands need this flag. */
export const MERCHANT = required('ID', "the merchant's id (mer_...)")

export function toggle(help: string): Flag<boolean> {
  return { placeholder: null, need: 'optional', help, read: (texts) => texts.length > 0 }
}

export function requiredChoice<Choice extends string>(
  placeholder: string,
  help: string,
  choices: readonly Choice[],
): Flag<Choice> {
  const listed = `${help} (${choices.join(', ')})`
  return { placeholder, need: 'required', help: listed, read: ([text]) => choose(text, choices) }
}

export function optionalChoice<Choice extends string>(
  placeholder: string,
  help: string,
  choices: readonly Choice[],
): Flag<Choice | undefined> {
  const listed = `${help} (${choices.join(', ')})`
  const read = ([text]: string[]) => (text === undefined ? undefined : choose(text, choices))
  return { placeholder, need: 'optional', help: listed, read }
}

/** Returns undefined if none is given, which means all of them. */
export function severalChoices<Choice extends string>(
  placeholder: string,
  help: string,
  choices: readonly Choice[],
): Flag<Choice[] | undefined> {
  const listed = `${help} (${choices.join(', ')})`
  const read = (texts: string[]) =>
    texts.length === 0 ? undefined : [...new Set(texts.map((text) => choose(text, choices)))]
  return { placeholder, need: 'repeatable', help: listed, read }
}

function choose<Choice extends string>(text: string | undefined, choices: readonly Choice[]): Choice {
  const chosen = choices.find((choice) => choice === text)
  if (chosen !== undefined) return chosen
  throw new AppError('validation_failed', { message: `must be one of ${choices.join(', ')}, not "${text}".` })
}

export function count(placeholder: string, help: string, limits: { max: number; fallback: number }) {
  const { max, fallback } = limits
  const read = ([text = String(fallback)]: string[]): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (number >= 1 && number <= max) return number
    throw new AppError('validation_failed', {
      message: `must be a whole number from 1 to ${max}, not "${text}".`,
    })
  }
  const flag: Flag<number> = {
    placeholder,
    need: 'optional',
    help: `${help} (1 to ${max}, default ${fallback})`,
    read,
  }
  return flag
}

const PAGE_MAX = 500
const PAGE_DEFAULT = 20

/** How many rows a list has at most. */
export const pageSize = (noun: string) =>
  count('N', `the number of ${noun}s`, { max: PAGE_MAX, fallback: PAGE_DEFAULT })

/** The flags of a list that is shown page by page. */
export const pageFlags = (noun: string) => ({
  limit: pageSize(noun),
  after: optional('ID', `the last ${noun} of the previous page`),
})

const SPAN_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Returns the time that a person means. A day begins at midnight of `zone`, and of UTC without one. */
export type Past = (now: Date, zone?: string) => Date

/** A time in the past: a date and time, a day, or a distance from now. */
export function past(placeholder: string, help: string): Flag<Past | undefined> {
  const read = ([text]: string[]) => (text === undefined ? undefined : readPast(text))
  return { placeholder, need: 'optional', help: `${help} (such as 10m, 2h, 7d or 2026-08-02T14:00Z)`, read }
}

const DAY_CHARS = '2026-08-02'.length

function readPast(text: string): Past {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (number !== undefined)
    return (now) => new Date(now.getTime() - Number(number) * SPAN_MS[unit as keyof typeof SPAN_MS])
  const at = new Date(text)
  // Date accepts many more spellings than this, and guesses what they mean.
  const isTime = /^[\d-]+(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(at.getTime())
  if (isTime && isCalendarDay(text.slice(0, DAY_CHARS)))
    return (_now, zone) => (zone && /^[\d-]+$/.test(text) ? momentOf(at.getTime(), zone) : at)
  throw new AppError('validation_failed', {
    message: `must be a time such as 10m, 2h, 7d, 2026-08-02 or 2026-08-02T14:00Z, not "${text}".`,
  })
}

/** A day of the calendar, such as `2026-08-02`. */
export function day(placeholder: string, help: string): Flag<string | undefined> {
  const read = ([text]: string[]) => (text === undefined ? undefined : readDay(text))
  return { placeholder, need: 'optional', help: `${help} (such as 2026-08-02)`, read }
}

function readDay(text: string): string {
  if (isCalendarDay(text)) return text
  throw new AppError('validation_failed', { message: `must be a day such as 2026-08-02, not "${text}".` })
}

/** A duration, in milliseconds. */
export function span(placeholder: string, help: string, { maxMs }: { maxMs: number }): Flag<number> {
  const read = ([text = '']: string[]): number => {
    const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
    const ms = Number(number) * SPAN_MS[unit as keyof typeof SPAN_MS]
    if (ms > 0 && ms <= maxMs) return ms
    const days = Math.floor(maxMs / SPAN_MS.d)
    throw new AppError('validation_failed', {
      message: `must be a time such as 90s, 15m, 2h or 30d, of at most ${days} days, not "${text}".`,
    })
  }
  return { placeholder, need: 'required', help: `${help} (such as 90s, 15m, 2h, 30d)`, read }
}

/** The payment's version that the person saw before a decision. */
export const VERSION: Flag<number | undefined> = {
  ...optional('N', "the payment's version that you saw; if it has changed since, nothing is stored"),
  read: ([text]) => (text === undefined ? undefined : readVersion(text)),
}

function readVersion(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new AppError('validation_failed', {
    message: `must be the whole number that the command show prints, not "${text}".`,
  })
}
