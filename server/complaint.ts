/**
 * Describes what is wrong with a value: one sentence for each kind of problem that a schema can find.
 * Rule: merchants and operators read only these sentences, or sentences that the schema itself has.
 */
import type { z } from 'zod'
import { say } from './messages/say.ts'

type Code = z.core.$ZodIssue['code']
type Issue<Of extends Code> = z.core.$ZodRawIssue<Extract<z.core.$ZodIssue, { code: Of }>>
type Bound = { origin: string }

const TYPES = ['string', 'number', 'int', 'boolean', 'object', 'array', 'null'] as const
const FORMATS = ['email', 'url', 'datetime'] as const

/** Zod and JavaScript name one type differently. */
function typeOf(name: string): (typeof TYPES)[number] | undefined {
  return name === 'record' ? 'object' : TYPES.find((each) => each === name)
}

function kindOf(input: unknown): string {
  if (input === null) return 'null'
  return Array.isArray(input) ? 'array' : typeof input
}

function wrongType({ expected, input }: Issue<'invalid_type'>): string {
  const wanted = say('en', `errors.value.type.${typeOf(expected) ?? 'otherWanted'}`)
  const given = kindOf(input)
  // For a fraction, or for a setting that is not a number, the type of the value explains nothing.
  if (given === 'number' && (expected === 'number' || expected === 'int'))
    return say('en', 'errors.value.wrongNumber', { wanted })
  return say('en', 'errors.value.wrongType', {
    wanted,
    given: say('en', `errors.value.type.${typeOf(given) ?? 'otherGiven'}`),
  })
}

function tooSmall({ origin }: Bound, minimum: number | bigint): string {
  if (origin === 'string' && minimum === 1) return say('en', 'errors.value.empty')
  const limit = Number(minimum)
  if (origin === 'string') return say('en', 'errors.value.tooShort', { limit })
  if (origin === 'array') return say('en', 'errors.value.tooFew', { limit })
  return say('en', 'errors.value.atLeast', { limit: String(minimum) })
}

function tooBig({ origin }: Bound, maximum: number | bigint): string {
  const limit = Number(maximum)
  if (origin === 'string') return say('en', 'errors.value.tooLong', { limit })
  if (origin === 'array') return say('en', 'errors.value.tooMany', { limit })
  return say('en', 'errors.value.atMost', { limit: String(maximum) })
}

const COMPLAINTS: { [Of in Code]: (issue: Issue<Of>) => string } = {
  invalid_type: wrongType,
  invalid_value: ({ values }) =>
    say('en', 'errors.value.oneOf', { count: values.length, values: values.join(', ') }),
  invalid_format: ({ format }) =>
    say('en', `errors.value.format.${FORMATS.find((each) => each === format) ?? 'other'}`),
  too_small: (issue) => tooSmall(issue, issue.minimum),
  too_big: (issue) => tooBig(issue, issue.maximum),
  not_multiple_of: ({ divisor }) => say('en', 'errors.value.multipleOf', { divisor: String(divisor) }),
  unrecognized_keys: () => say('en', 'errors.value.unknownKey'),
  invalid_key: () => say('en', 'errors.value.invalidKey'),
  invalid_element: () => say('en', 'errors.value.invalidElement'),
  invalid_union: () => say('en', 'errors.value.invalidUnion'),
  custom: () => say('en', 'errors.value.notAllowed'),
}

/** Zod's error map for one parse. A schema's own sentence comes before it. */
export const complaint: z.core.$ZodErrorMap = (issue) =>
  issue.input === undefined ? say('en', 'errors.value.required') : describe(issue.code, issue)

function describe<Of extends Code>(code: Of, issue: Issue<Of>): string {
  return COMPLAINTS[code](issue)
}
