/** The parameters of an endpoint: path, query, and the headers that its declaration implies. */
import type { z } from 'zod'
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../contract/fields.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Example } from './examples.ts'
import { fieldNote } from './field-notes.ts'
import { componentSchemas, type Schema, schemaOf } from './schemas.ts'

const KEY_SCHEMA = { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARS }

export type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  required: boolean
  description: string
  schema: Schema
  example?: unknown
}
type Shown = Pick<Example, 'path' | 'query' | 'headers' | 'idempotencyKey'> | undefined

/** What a request carries besides its body; the token is a security scheme. */
export function parametersOf({ path, query, auth, idempotencyKey }: Endpoint, example: Shown): Parameter[] {
  const parameters: Parameter[] = []
  for (const [, name = ''] of path.matchAll(/:(\w+)/g))
    parameters.push({
      ...described(name, 'path'),
      required: true,
      schema: { type: 'string' },
      ...exampleOf(example?.path?.[name]),
    })
  if (query) parameters.push(...queryParameters(query, example))
  if (auth.kind === 'widget')
    parameters.push({
      name: 'Origin',
      in: 'header',
      required: true,
      description: 'Set by the browser: exactly one of the installation’s origins.',
      schema: { type: 'string' },
      ...exampleOf(example?.headers?.Origin),
    })
  if (idempotencyKey)
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: idempotencyKey === 'required',
      description:
        'One key per attempt: the same for retries of an attempt, a new one for a new attempt. Printable ASCII.',
      schema: KEY_SCHEMA,
      ...exampleOf(example?.idempotencyKey),
    })
  return parameters
}

function queryParameters(query: z.ZodType, example: Shown): Parameter[] {
  const { properties = {}, required = [] } = schemaOf(query).$ref ? inlined(query) : schemaOf(query)
  return Object.entries(properties).map(([name, schema]) => ({
    ...described(name, 'query'),
    required: required.includes(name),
    schema,
    ...exampleOf(example?.query?.[name]),
  }))
}

/** A named query's own text: parameters have no schema to refer to. */
function inlined(query: z.ZodType): Schema {
  const name = schemaOf(query)
  return Object.values(componentSchemas([name]))[0] ?? {}
}

const described = (name: string, place: 'query' | 'path') => ({
  name,
  in: place,
  description: fieldNote('', name) ?? name,
})
const exampleOf = (example: string | undefined) => (example === undefined ? {} : { example })
