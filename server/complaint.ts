/**
 * Describes what is wrong with a value: one sentence for each kind of problem that a schema can find.
 * Rule: merchants and operators read only sentences of this table, or sentences that the schema itself has.
 */
import type { z } from 'zod'

type Code = z.core.$ZodIssue['code']
type Issue<Of extends Code> = z.core.$ZodRawIssue<Extract<z.core.$ZodIssue, { code: Of }>>

const TYPES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

const FORMATS: Record<string, string> = {
  email: 'an e-mail address, such as ani@example.com',
  url: 'an absolute address, such as https://shop.example/thanks',
  datetime: 'a date and time with a zone, such as 2026-03-01T09:30:00Z',
}

function kindOf(input: unknown): string {
  if (input === null) return 'null'
  return Array.isArray(input) ? 'a list' : (TYPES[typeof input] ?? 'that')
}

function wrongType({ expected, input }: Issue<'invalid_type'>): string {
  const wanted = TYPES[expected] ?? 'of another kind'
  const given = kindOf(input)
  // For a fraction, or for a setting that is not a number, the type of the value explains nothing.
  return given === TYPES.number && wanted.endsWith('number')
    ? `must be ${wanted}`
    : `must be ${wanted}, not ${given}`
}

const UNITS: Record<string, string> = { string: ' characters', array: ' entries' }
const bound = (least: string, { origin }: { origin: string }, limit: number | bigint): string =>
  UNITS[origin] ? `must have ${least} ${limit}${UNITS[origin]}` : `must be ${least} ${limit}`

const COMPLAINTS: { [Of in Code]: (issue: Issue<Of>) => string } = {
  invalid_type: wrongType,
  invalid_value: ({ values }) => `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`,
  invalid_format: ({ format }) => `must be ${FORMATS[format] ?? 'written in the format of this field'}`,
  too_small: (issue) =>
    issue.origin === 'string' && issue.minimum === 1
      ? 'must not be empty'
      : bound('at least', issue, issue.minimum),
  too_big: (issue) => bound('at most', issue, issue.maximum),
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: () => 'is not a known property',
  invalid_key: () => 'has a name that is not allowed',
  invalid_element: () => 'has an entry that is not allowed',
  invalid_union: () => 'has the wrong type',
  custom: () => 'is not allowed',
}

/** Zod's error map for one parse. A schema's own sentence comes before it. */
export const complaint: z.core.$ZodErrorMap = (issue) =>
  issue.input === undefined ? 'is required' : COMPLAINTS[issue.code as Code](issue as never)
