/** The parameters of an endpoint: path, query, and the headers that its declaration implies. */
import type { z } from 'zod'
import {
  AMOUNT_MINOR_MAX,
  IDEMPOTENCY_KEY_MAX_CHARS,
  IDEMPOTENCY_KEY_PATTERN,
} from '../../contract/fields.ts'
import type { Endpoint } from '../endpoint.ts'
import { IF_REFUNDED } from '../if-refunded.ts'
import type { Example } from './examples.ts'
import { fieldNote } from './field-notes.ts'
import { componentSchemas, type Schema, schemaOf } from './schemas.ts'

const KEY_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: IDEMPOTENCY_KEY_MAX_CHARS,
  pattern: IDEMPOTENCY_KEY_PATTERN,
}

export type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  required: boolean
  description: string
  schema: Schema
  example?: unknown
}
const PREFER: Parameter = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`wait=3`: the response waits up to 3 seconds, 10 at most, until the operation has succeeded, has failed or waits for a person. Without it the response comes at once. An addition of Kassa.',
  schema: { type: 'string' },
}
const IF_REFUNDED_MINOR: Parameter = {
  name: IF_REFUNDED,
  in: 'header',
  required: false,
  description:
    'The refund is made only if exactly this much was refunded of the payment before, with refunds that are not decided yet. Otherwise 409 with `error.refundedMinor` and `error.pendingRefundMinor`. With it a refund can be sent again under a new key without doubling it. An addition of Kassa.',
  schema: { type: 'integer', minimum: 0, maximum: AMOUNT_MINOR_MAX },
}

type Shown = Pick<Example, 'path' | 'query' | 'headers' | 'idempotencyKey'> | undefined

/** What a request carries besides its body. The token is a security scheme. */
export function parametersOf(endpoint: Endpoint, example: Shown): Parameter[] {
  const { params, query, auth, idempotencyKey, waits, comparesRefunded } = endpoint
  const parameters: Parameter[] = []
  if (params) parameters.push(...parametersIn('path', params, example?.path))
  if (query) parameters.push(...parametersIn('query', query, example?.query))
  if (auth.kind === 'widget')
    parameters.push({
      name: 'Origin',
      in: 'header',
      required: true,
      description: 'Set by the browser. It must be exactly one of the installation’s origins.',
      schema: { type: 'string' },
      ...exampleOf(example?.headers?.Origin),
    })
  if (idempotencyKey)
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: idempotencyKey === 'required',
      description:
        'One key for each attempt. Retries of an attempt send the same key, and a new attempt sends a new key. Printable ASCII.',
      schema: KEY_SCHEMA,
      ...exampleOf(example?.idempotencyKey),
    })
  if (waits) parameters.push(PREFER)
  if (comparesRefunded) parameters.push(IF_REFUNDED_MINOR)
  return parameters
}

function parametersIn(
  place: 'path' | 'query',
  declared: z.ZodType,
  examples: Record<string, string> = {},
): Parameter[] {
  const { properties = {}, required = [] } = schemaOf(declared).$ref ? inlined(declared) : schemaOf(declared)
  return Object.entries(properties).map(([name, schema]) => ({
    ...described(name, place),
    required: required.includes(name),
    schema,
    ...exampleOf(examples[name]),
  }))
}

/** A named schema, written out, because a parameter cannot refer to one. */
function inlined(declared: z.ZodType): Schema {
  const name = schemaOf(declared)
  return Object.values(componentSchemas([name]))[0] ?? {}
}

const described = (name: string, place: 'query' | 'path') => ({
  name,
  in: place,
  description: fieldNote('', name) ?? name,
})
const exampleOf = (example: string | undefined) => (example === undefined ? {} : { example })
