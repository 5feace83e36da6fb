/** The page of one endpoint, read from the OpenAPI document as any other program would read it. */
import { sampleMark } from '../../http/docs/built.ts'
import type { OpenApiDocument, OperationObject } from '../../http/openapi/document.ts'
import { nameOf, type Schema } from '../../http/openapi/schemas.ts'
import { html, type Markup } from '../../pages/html.ts'
import { CLIENT_VERBS, type ClientCall } from './client-calls.ts'
import { codeBlock, prose, table } from './prose.ts'
import { LANGUAGES, type SampleRequest } from './samples.ts'

export type Described = { method: string; path: string; operation: OperationObject }
type Schemas = OpenApiDocument['components']['schemas']

export function endpointContent(document: OpenApiDocument, described: Described): Markup {
  const { method, path, operation } = described
  const { operationId, description, requestBody } = operation
  const { schemas } = document.components
  const body = requestBody?.content['application/json']?.schema
  const status = operation.responses[201] ? 201 : 200
  const response = operation.responses[status]?.content?.['application/json']
  return html`<div class="endpoint">
    <div class="says">
      <p class="address"><span class="method" data-method=${method}>${method.toUpperCase()}</span> <code>${path}</code></p>
      <p>${prose(description)}</p>
    </div>
    <div class="shows">
      <h2 id="example">Example</h2>
      ${ownValues(operation)}
      ${sampleMark(operationId)}
      ${response?.example ? codeBlock(JSON.stringify(response.example, null, 2), `Response: ${status}`) : null}
    </div>
    <div class="tables">
      ${parameterTable(operation)}
      ${body ? html`<h2 id="body">Body</h2>${fieldTable(body, schemas)}` : null}
      ${response ? html`<h2 id="response">Response</h2>${fieldTable(response.schema, schemas)}` : null}
      <h2 id="statuses">Statuses</h2>
      ${statusTable(operation)}
    </div>
  </div>`
}

/**
 * The example of a request in each language, made of the document's example values. With the client of the language, if it has this
 * operation.
 */
export function requestSamples(document: OpenApiDocument, described: Described): Record<string, string> {
  const request = sampleRequest(document, described)
  const call = clientCall(document, described)
  return Object.fromEntries(
    LANGUAGES.map((language) => [
      language.id,
      call && language.call ? language.call(call) : language.write(request),
    ]),
  )
}

function clientCall(document: OpenApiDocument, described: Described): ClientCall | null {
  const { parameters = [], operationId } = described.operation
  const verb = CLIENT_VERBS[operationId]
  if (!verb) return null
  const { headers, body } = sampleRequest(document, described)
  const id = parameters.find((each) => each.in !== 'header' && each.example !== undefined)?.example
  const key = headers['Idempotency-Key']
  return {
    baseUrl: document.servers[0]?.url ?? '',
    verb,
    ...(id !== undefined && { id: String(id) }),
    ...(body && { body }),
    ...(key && { key }),
  }
}

export function sampleRequest(
  document: OpenApiDocument,
  { method, path, operation }: Described,
): SampleRequest {
  const { parameters = [], requestBody, security } = operation
  const shown = requestBody?.content['application/json']?.example as object | undefined
  // An empty body is left out, because a program need not send one.
  const body = shown && Object.keys(shown).length > 0 ? shown : undefined
  const examplesOf = (place: string) =>
    parameters.flatMap((each) =>
      each.in === place && each.example !== undefined ? [[each.name, String(each.example)] as const] : [],
    )
  const query = new URLSearchParams(examplesOf('query').map(([name, value]) => [name, value])).toString()
  const filled = examplesOf('path').reduce((text, [name, value]) => text.replace(`{${name}}`, value), path)
  return {
    method: method.toUpperCase(),
    url: `${document.servers[0]?.url}${filled}${query && `?${query}`}`,
    withToken: security.length > 0,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(examplesOf('header')),
    },
    ...(body && { body }),
  }
}

/** Fields of a body that name something that must exist already. */
const OWN_FIELDS = ['publicKey', 'productId', 'paymentTokenId']

/** Names the example's values that the reader has to replace. An example without this line runs as it is. */
function ownValues({ parameters = [], requestBody }: OperationObject): Markup {
  const body = (requestBody?.content['application/json']?.example ?? {}) as Record<string, unknown>
  const named = parameters.filter(({ name, in: place }) => place !== 'header' || name === 'Origin')
  const values = [...named.map(({ example }) => example), ...OWN_FIELDS.map((name) => body[name])]
  const shown = values.filter((value) => value !== undefined).map((value) => `\`${value}\``)
  if (shown.length === 0) return null
  const list = new Intl.ListFormat('en').format(shown)
  return html`<p class="yours">${prose(`Replace ${list} with your own.`)}</p>`
}

function parameterTable({ parameters = [] }: OperationObject): Markup {
  if (parameters.length === 0) return null
  const rows = parameters.map(({ name, in: place, required, schema, description }) => [
    html`<span><code>${name}</code> <span class="need">${place}${required ? ', required' : ''}</span></span>`,
    bounds(schema),
    description,
  ])
  return html`<h2 id="parameters">Parameters</h2>${table(['Name', 'Type', 'Meaning'], rows)}`
}

/** The fields of an object and of the objects inside it. */
function fieldTable(schema: Schema, schemas: Schemas): Markup {
  return table(['Field', 'Type', 'Meaning'], fieldRows(schema, schemas, '', 0))
}

function fieldRows(schema: Schema, schemas: Schemas, prefix: string, depth: number): (string | Markup)[][] {
  const { properties = {}, required = [] } = resolve(schema, schemas)
  return Object.entries(properties).flatMap(([name, property]) => {
    const known = resolve(property, schemas)
    const row = [
      html`<span><code>${prefix}${name}</code> ${required.includes(name) ? html`<span class="need">required</span>` : null}</span>`,
      bounds(known, nameOf(property)),
      String(property.description ?? known.description ?? ''),
    ]
    const inner = known.items ? resolve(known.items, schemas) : known
    const isShown = inner.properties !== undefined && depth < 2
    return [
      row,
      ...(isShown ? fieldRows(inner, schemas, `${prefix}${name}${known.items ? '[]' : ''}.`, depth + 1) : []),
    ]
  })
}

const resolve = (schema: Schema, schemas: Schemas): Schema => schemas[nameOf(schema) ?? ''] ?? schema

/** A type with its bounds, in a few words. */
function bounds(schema: Schema, name?: string): string {
  const { type, format, minLength, maxLength, minimum, maximum, items } = schema
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum)
    return name && schema.enum.length > 6 ? name : schema.enum.map((value) => `\`${value}\``).join(', ')
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((each: Schema) => bounds(each)).join(' or ')
  const parts = [
    type === 'array' ? `list of ${nameOf(items ?? {}) ?? items?.type ?? 'values'}` : String(type ?? 'any'),
  ]
  if (format) parts.push(String(format))
  if (maxLength !== undefined) parts.push(`${minLength ?? 0} to ${maxLength} characters`)
  if (minimum !== undefined && Number(maximum) < Number.MAX_SAFE_INTEGER)
    parts.push(`${minimum} to ${maximum}`)
  else if (minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER) parts.push(`from ${minimum}`)
  return parts.join(', ')
}

function statusTable({ responses }: OperationObject): Markup {
  const rows = Object.entries(responses).map(([status, response]) => {
    const codes = Object.keys(response.content?.['application/json']?.examples ?? {})
    const links = codes.map(
      (code, index) =>
        html`${index > 0 ? ', ' : ''}<a href=${`/docs/api/errors#error-${code}`}><code>${code}</code></a>`,
    )
    return [status, codes.length > 0 ? html`<span>${links}</span>` : response.description]
  })
  return table(['HTTP', 'When'], rows)
}
