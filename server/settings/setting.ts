/** The type of a row of the settings table, the kinds of values that a setting can have, and how a message shows a value. */
import { z } from 'zod'

export const GROUPS = [
  'serving',
  'database',
  'routes',
  'events',
  'timing',
  'limits',
  'mail',
  'operating',
] as const
export type Group = (typeof GROUPS)[number]
export type Mode = 'sandbox' | 'live'

/** How a value is written. `schema` parses its text, and `takes` completes the sentence "must be ...". */
type Kind<Schema extends z.ZodType = z.ZodType> = {
  schema: Schema
  takes: string
  unit?: 'seconds' | 'connections'
}

export type Setting = Kind & {
  name: string
  group: Group
  /** What the setting does, in one or two sentences. */
  about: string
  /** The value if the setting is not set, written as in the environment. */
  default?: string | Record<Mode, string>
  /** What happens if the setting is not set and has no default. */
  unset?: string
  /** The only mode in which the setting has an effect. Absent: both modes. */
  mode?: Mode
  /** The value is a secret or contains one, so no message repeats it. */
  secret?: true
  /** Live mode accepts only values for which `accepts` returns true. `needs` completes the sentence "live mode needs ...". */
  live?: { accepts(text: string | undefined): boolean; needs: string; remedy?: string }
  /** The setting without which this one has no effect. */
  companion?: string
  /** The setting that must be set together with this one. */
  needs?: string
  /** Settings in whose place this one can be set. Only one of them may be set. */
  insteadOf?: readonly string[]
  /** Commands of the operator need the same value as the service. */
  commands?: true
}

const DIGITS = /^\d{1,15}$/
export const DAY_SECONDS = 86_400
const TEN_YEARS_SECONDS = 3_650 * DAY_SECONDS
const LIST_MAX = 100

/** Returns a schema that has one message for all wrong values. */
const withMessage = (takes: string, accepts: (text: string) => boolean) =>
  z.string().refine(accepts, `must be ${takes}`)

export function whole(min: number, max: number, takes = `a whole number from ${min} to ${max}`) {
  const accepts = (text: string) => DIGITS.test(text) && Number(text) >= min && Number(text) <= max
  return { takes, schema: withMessage(takes, accepts).transform(Number) }
}

export const port = whole(0, 65_535, 'a port number from 0 to 65535 (0 selects any free port)')

export function seconds(
  min = 0,
  max = TEN_YEARS_SECONDS,
  takes = `a whole number of seconds from ${min} to ${max}`,
) {
  return { ...whole(min, max, takes), unit: 'seconds' as const }
}

const SECONDS_LIST = 'whole seconds separated by commas, such as 0,5,300'

export const secondsList = {
  takes: SECONDS_LIST,
  unit: 'seconds' as const,
  schema: withMessage(SECONDS_LIST, (text) => {
    const parts = text.split(',').map((part) => part.trim())
    return (
      parts.length <= LIST_MAX &&
      parts.every((part) => DIGITS.test(part) && Number(part) <= TEN_YEARS_SECONDS)
    )
  }).transform((text) => text.split(',').map(Number)),
}

export function fraction(min: number, max: number) {
  const takes = `a number of seconds from ${min} to ${max}`
  const accepts = (text: string) =>
    /^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) >= min && Number(text) <= max
  return { takes, unit: 'seconds' as const, schema: withMessage(takes, accepts).transform(Number) }
}

export function oneOf<const Values extends readonly string[]>(values: Values) {
  const takes = `one of ${values.join(', ')}`
  return { takes, schema: z.enum(values, `must be ${takes}`) }
}

export const flag = {
  takes: 'true or false',
  schema: z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true'),
}

export const text = { takes: 'text', schema: z.string() }

export function address(protocol: RegExp, takes: string) {
  return { takes, schema: z.url({ protocol, error: `must be ${takes}` }) }
}

/** A setting with its own notation. `parse` throws an Error whose message completes the line after the setting's name. */
export function notation<Value>(takes: string, parse: (text: string) => Value) {
  const schema = z.string().transform((given, check) => {
    try {
      return parse(given)
    } catch (error) {
      check.addIssue((error as Error).message)
      return z.NEVER
    }
  })
  return { takes, schema }
}

/** A name or an IP address that a link can lead to. An asterisk is a pattern, a dollar a forgotten variable, and zeros are every network. */
const LABEL = '(?!-)[a-z0-9_-]{1,63}(?<!-)'
const HOST = new RegExp(String.raw`^(?!0\.0\.0\.0$|\[::\]$)(?:${LABEL}(?:\.${LABEL})*\.?|\[[0-9a-f:.]+\])$`)

/**
 * The public address of a face of the service. What it shows begins with this address, so a path would lead to pages that do not exist,
 * and a password would stand in each link.
 */
export function publicOrigin(example: string) {
  const takes = `an http or https address without a path, such as ${example}`
  return notation(takes, (given) => {
    const url = /^https?:\/\//i.test(given) && URL.canParse(given) ? new URL(given) : null
    if (url && (url.username || url.password))
      throw new RangeError('must not contain a user name or a password')
    if (url && !HOST.test(url.hostname))
      throw new RangeError(`must have the name of one host, without * and other signs, such as ${example}`)
    if (!url || !/^\/+$/.test(url.pathname) || url.search || url.hash)
      throw new RangeError(`must be ${takes}`)
    return url.origin
  })
}

const SHOWN_MAX_CHARS = 60

/** Returns the value in quotes, so that spaces and control characters at its ends are visible. Shortens long values. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > SHOWN_MAX_CHARS ? `${value.slice(0, SHOWN_MAX_CHARS)}...` : value)
}
