/** The parameters of an endpoint: path, query, and the headers that its declaration implies. */
import { z } from 'zod'
import { HEADER_FIELDS } from '../../contract/fields.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Example } from './examples.ts'
import { fieldsOf, type Schema } from './schemas.ts'

export type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  required: boolean
  description: string
  schema: Schema
  example?: unknown
}
type Shown = Pick<Example, 'path' | 'query' | 'headers' | 'idempotencyKey'> | undefined

/** What a request carries besides its body. The token is a security scheme. */
export function parametersOf(endpoint: Endpoint, example: Shown): Parameter[] {
  const { params, query } = endpoint
  const headers = { ...example?.headers, 'Idempotency-Key': example?.idempotencyKey }
  return [
    ...(params ? parametersIn('path', params, example?.path) : []),
    ...(query ? parametersIn('query', query, example?.query) : []),
    ...parametersIn('header', headersOf(endpoint), headers),
  ]
}

function headersOf({ auth, idempotencyKey, waits, comparesRefunded }: Endpoint): z.ZodType {
  const { Origin, 'Idempotency-Key': key, Prefer, 'Kassa-If-Refunded-Minor': ifRefunded } = HEADER_FIELDS
  return z.object({
    ...(auth.kind === 'widget' && { Origin }),
    ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey === 'required' ? key : key.optional() }),
    ...(waits && { Prefer }),
    ...(comparesRefunded && { 'Kassa-If-Refunded-Minor': ifRefunded }),
  })
}

function parametersIn(
  place: Parameter['in'],
  declared: z.ZodType,
  examples: Record<string, string | undefined> = {},
): Parameter[] {
  const { properties = {}, required = [] } = fieldsOf(declared)
  return Object.entries(properties).map(([name, { description = name, ...schema }]) => ({
    name,
    in: place,
    description,
    required: required.includes(name),
    schema,
    ...(examples[name] !== undefined && { example: examples[name] }),
  }))
}
