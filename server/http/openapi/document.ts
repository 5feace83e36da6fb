/**
 * The OpenAPI 3.1 document, generated from the same endpoint objects that serve the requests.
 * Rule: this file repeats nothing that is already in an endpoint's declaration, a contract schema or the error table.
 */

import { z } from 'zod'
import { HEADER_FIELDS } from '../../contract/fields.ts'
import { NoBody } from '../../contract/operation.ts'
import type { Endpoint } from '../endpoint.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { eventWebhooks } from './event.ts'
import { type Example, withBaseUrl } from './examples.ts'
import { HEADERS } from './headers.ts'
import { operationOf, TAGS } from './operations.ts'
import { type MediaType, type Response, responsesOf } from './responses.ts'
import { componentSchemas, fieldsOf, type Schema, schemaOf } from './schemas.ts'

/** The version of the contract, not of the software. */
const CONTRACT_VERSION = '0.1.0'

/** Another implementation of the interface need not have it. */
const ADDITION = `*An addition of Kassa to version ${CONTRACT_VERSION} of the interface.*`

export type OperationObject = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, string[]>[]
  'x-scope'?: string
  'x-addition'?: true
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, MediaType> }
  responses: Record<string, Response>
}
export type OpenApiDocument = ReturnType<typeof openApiDocument>

/** Returns an endpoint's path as OpenAPI writes it: `{paymentId}` for `:paymentId`. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

/** Returns the document of a server at `baseUrl`. */
export function openApiDocument(baseUrl: string, endpoints: readonly Endpoint[] = ENDPOINTS) {
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const endpoint of endpoints) {
    const path = templateOf(endpoint.path)
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint, baseUrl) }
  }
  const webhooks = eventWebhooks(baseUrl)
  const tags = { ...TAGS, Events: 'The events that the service posts to your callback URL.' }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Kassa',
      version: CONTRACT_VERSION,
      summary: 'A payment layer for merchants.',
      description:
        'Create a payment from your back end, or let the pay button create it. Send the buyer to its checkout. Learn the ' +
        `outcome from a look-up or a signed event. The guides are at ${baseUrl}/docs.`,
      contact: { name: 'Kassa', url: `${baseUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'This server' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        merchantToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'merchant-token',
          description: 'A merchant token. Use it only from your back end.',
        },
      },
      headers: HEADERS,
      schemas: componentSchemas([paths, webhooks]),
    },
  }
}

function operation(endpoint: Endpoint, baseUrl: string): OperationObject {
  const { auth, summary, description, body, bodyOptional, addition } = endpoint
  const { id, tag, example: written } = operationOf(endpoint)
  const example = written && withBaseUrl(written, baseUrl)
  const parameters = parametersOf(endpoint, example)
  const scope = auth.kind === 'bearer' ? ` The token needs the scope \`${auth.scope}\`.` : ''
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${addition ? `${ADDITION} ` : ''}${description}${scope}`,
    // Not every tool accepts scopes on a bearer scheme, so the scope is a field of its own.
    security: auth.kind === 'bearer' ? [{ merchantToken: [] }] : [],
    ...(auth.kind === 'bearer' && { 'x-scope': auth.scope }),
    ...(addition && { 'x-addition': true as const }),
    ...(parameters.length > 0 && { parameters }),
    ...(body &&
      body !== NoBody && {
        requestBody: {
          required: !bodyOptional,
          content: {
            'application/json': { schema: schemaOf(body), ...(example?.body && { example: example.body }) },
          },
        },
      }),
    responses: responsesOf(endpoint, example?.response),
  }
}

/** A parameter of an endpoint: of its path, of its query, or a header that its declaration implies. */
type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  required: boolean
  description: string
  schema: Schema
  example?: unknown
}
type Shown = Pick<Example, 'path' | 'query' | 'headers' | 'idempotencyKey'> | undefined

/** What a request carries besides its body. The token is a security scheme. */
function parametersOf(endpoint: Endpoint, example: Shown): Parameter[] {
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
