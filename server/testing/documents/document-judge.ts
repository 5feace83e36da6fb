/**
 * Checks requests and responses against the OpenAPI document alone, with a JSON Schema validator, like a validating proxy in
 * front of the service.
 */
import type { IncomingMessage } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Endpoint } from '../../http/endpoint.ts'
import { asMeant } from '../../http/json/as-meant.ts'
import { openApiDocument, templateOf } from '../../http/openapi/document.ts'

const ROOT = 'document'
/** RFC 6531, roughly. The validator's own rule rejects quoted names, address literals, hosts without a dot and other scripts. */
const MAILBOX = /^("(\\.|[^"\\])*"|[^\s@"(),:;<>[\]\\]+)@(\[[^\]]+\]|[\p{L}\p{M}\p{N}.-]+)$/iu

const document = openApiDocument('http://127.0.0.1')
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addFormat('email', MAILBOX)
// The pattern beside this format says the same.
ajv.addFormat('iri-reference', true)
ajv.addSchema(JSON.parse(JSON.stringify(document)), ROOT)

const compiled = new Map<string, ValidateFunction>()

/** Returns what is wrong with `value` by the schema at this place of the document. */
function problemsAt(place: (string | number)[], value: unknown): string[] {
  const $ref = `${ROOT}${namedSchemaAt(place) ?? pointerTo(place)}`
  const check = compiled.get($ref) ?? ajv.compile({ $ref })
  compiled.set($ref, check)
  if (check(value)) return []
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`)
}

function pointerTo(place: (string | number)[]): string {
  const pointer = place.map((part) =>
    encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')),
  )
  return `#/${pointer.join('/')}`
}

/** Most places only name a schema, and many places name the same one. It is compiled once. */
function namedSchemaAt(place: (string | number)[]): string | undefined {
  const found = place.reduce<unknown>((node, part) => (node as Record<string, unknown>)?.[part], document)
  const { $ref, ...rest } = (found ?? {}) as { $ref?: string }
  return Object.keys(rest).length === 0 ? $ref : undefined
}

function operationOf({ method, path: pattern }: Endpoint) {
  const path = templateOf(pattern)
  return { place: ['paths', path, method], operation: document.paths[path]?.[method], path }
}

/** Returns why the document does not allow this request; empty if it does. `body`: the bytes that were sent. */
export function judgeRequest(
  endpoint: Endpoint,
  { url = '', headers }: IncomingMessage,
  body: Buffer,
): string[] {
  const { place, operation, path } = operationOf(endpoint)
  const { body: schema } = endpoint
  if (!operation) return ['the document has no such operation']
  const [sentPath = '', search] = url.split('?')
  const given = {
    path: (name: string) =>
      decodeURIComponent(sentPath.split('/')[path.split('/').indexOf(`{${name}}`)] ?? ''),
    query: (name: string) => new URLSearchParams(search).get(name) ?? undefined,
    header: (name: string) => headers[name.toLowerCase()],
  }
  const problems = (operation.parameters ?? []).flatMap(
    ({ name, in: where, required, schema: { type } }, index) => {
      const text = given[where](name)
      if (text === undefined) return required ? [`${name} is missing`] : []
      // Everything in a header is text. A number is what it says.
      const value = type === 'integer' && /^\d+$/.test(String(text)) ? Number(text) : text
      const parameter = [...place, 'parameters', index, 'schema']
      return problemsAt(parameter, value).map((problem) => `${name}: ${problem}`)
    },
  )
  return [
    ...problems,
    ...judgeBody(place, operation.requestBody, { type: headers['content-type'], body, schema }),
  ]
}

/** The document describes bodies as they are meant. The topics of the reference say what else is understood. */
function judgeBody(
  place: string[],
  declared: { required: boolean } | undefined,
  { type, body, schema }: { type: string | undefined; body: Buffer; schema: Endpoint['body'] },
): string[] {
  if (!declared) return []
  if (body.length === 0) return declared.required ? ['the body is missing'] : []
  if (!/^application\/json\b/i.test(type ?? '')) return [`the media type ${type} is not in the document`]
  return problemsAt(
    [...place, 'requestBody', 'content', 'application/json', 'schema'],
    asMeant(schema, JSON.parse(body.toString())),
  )
}

/** Returns why the document does not describe this response; empty if it does. */
export function judgeResponse(endpoint: Endpoint, status: number, body: unknown): string[] {
  const { place, operation } = operationOf(endpoint)
  if (!operation?.responses[status]) return [`the document has no response ${status}`]
  return problemsAt([...place, 'responses', status, 'content', 'application/json', 'schema'], body)
}
