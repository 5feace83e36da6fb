/**
 * The OpenAPI 3.1 document, generated from the same endpoint objects that serve the requests.
 * Rule: this file repeats nothing that is already in an endpoint's declaration, a contract schema or the error table.
 */
import { NoBody } from '../../contract/operation.ts'
import type { Endpoint } from '../endpoint.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { eventWebhooks } from './event.ts'
import { withBaseUrl } from './examples.ts'
import { HEADERS } from './headers.ts'
import { operationOf, TAGS } from './operations.ts'
import { type Parameter, parametersOf } from './parameters.ts'
import { type MediaType, type Response, responsesOf } from './responses.ts'
import { componentSchemas, schemaOf } from './schemas.ts'

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
