/**
 * Describes what is wrong with a value: one sentence for each kind of problem that a schema can find.
 * Rule: merchants and operators read only these sentences, or sentences that the schema itself has.
 */
import type { z } from 'zod'
import { translate } from './messages/translate.ts'

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
  const wanted = translate('en', `errors.value.type.${typeOf(expected) ?? 'otherWanted'}`)
  const given = kindOf(input)
  // For a fraction, or for a setting that is not a number, the type of the value explains nothing.
  if (given === 'number' && (expected === 'number' || expected === 'int'))
    return translate('en', 'errors.value.wrongNumber', { wanted })
  return translate('en', 'errors.value.wrongType', {
    wanted,
    given: translate('en', `errors.value.type.${typeOf(given) ?? 'otherGiven'}`),
  })
}

function tooSmall({ origin }: Bound, minimum: number | bigint): string {
  if (origin === 'string' && minimum === 1) return translate('en', 'errors.value.empty')
  const limit = Number(minimum)
  if (origin === 'string') return translate('en', 'errors.value.tooShort', { limit })
  if (origin === 'array') return translate('en', 'errors.value.tooFew', { limit })
  return translate('en', 'errors.value.atLeast', { limit: String(minimum) })
}

function tooBig({ origin }: Bound, maximum: number | bigint): string {
  const limit = Number(maximum)
  if (origin === 'string') return translate('en', 'errors.value.tooLong', { limit })
  if (origin === 'array') return translate('en', 'errors.value.tooMany', { limit })
  return translate('en', 'errors.value.atMost', { limit: String(maximum) })
}

const COMPLAINTS: { [Of in Code]: (issue: Issue<Of>) => string } = {
  invalid_type: wrongType,
  invalid_value: ({ values }) =>
    translate('en', 'errors.value.oneOf', { count: values.length, values: values.join(', ') }),
  invalid_format: ({ format }) =>
    translate('en', `errors.value.format.${FORMATS.find((each) => each === format) ?? 'other'}`),
  too_small: (issue) => tooSmall(issue, issue.minimum),
  too_big: (issue) => tooBig(issue, issue.maximum),
  not_multiple_of: ({ divisor }) => translate('en', 'errors.value.multipleOf', { divisor: String(divisor) }),
  unrecognized_keys: () => translate('en', 'errors.value.unknownKey'),
  invalid_key: () => translate('en', 'errors.value.invalidKey'),
  invalid_element: () => translate('en', 'errors.value.invalidElement'),
  invalid_union: () => translate('en', 'errors.value.invalidUnion'),
  custom: () => translate('en', 'errors.value.notAllowed'),
}

/** Zod's error map for one parse. A schema's own sentence comes before it. */
export const complaint: z.core.$ZodErrorMap = (issue) =>
  issue.input === undefined ? translate('en', 'errors.value.required') : describe(issue.code, issue)

function describe<Of extends Code>(code: Of, issue: Issue<Of>): string {
  return COMPLAINTS[code](issue)
}
