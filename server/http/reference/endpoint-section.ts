/** One endpoint on the reference page, read from the OpenAPI document like any other reader would. */
import type { OpenApiDocument, OperationObject } from '../openapi/document.ts'
import { nameOf, type Schema } from '../openapi/schemas.ts'
import { html, type Markup } from '../pages/html.ts'
import { codeBlock, prose, samples, section, table } from './prose.ts'
import { LANGUAGES, type SampleRequest } from './samples.ts'

export type Described = { method: string; path: string; operation: OperationObject }
type Schemas = OpenApiDocument['components']['schemas']

export function endpointSection(document: OpenApiDocument, { method, path, operation }: Described): Markup {
  const { operationId, summary, description, requestBody } = operation
  const { schemas } = document.components
  const body = requestBody?.content['application/json']?.schema
  const request = sampleRequest(document, { method, path, operation })
  const texts = Object.fromEntries(LANGUAGES.map(({ id, write }) => [id, write(request)]))
  const success = operation.responses[201] ?? operation.responses[200]
  const answer = success?.content?.['application/json']
  return section(
    operationId,
    summary,
    html`<div class="endpoint">
      <div class="says">
        <p class="address"><span class="method" data-method=${method}>${method.toUpperCase()}</span> <code>${path}</code></p>
        <p>${prose(description)}</p>
        ${parameterTable(operation)}
        ${body ? html`<h3>Body</h3>${fieldTable(body, schemas)}` : null}
        ${answer ? html`<h3>Answer</h3>${fieldTable(answer.schema, schemas)}` : null}
        <h3>Statuses</h3>
        ${statusTable(operation)}
      </div>
      <div class="shows">
        ${ownValues(operation)}
        ${samples(operationId, texts)}
        ${answer?.example ? codeBlock(JSON.stringify(answer.example, null, 2), `Answer: ${operation.responses[201] ? 201 : 200}`) : null}
      </div>
    </div>`,
  )
}

/** The example of a request, with the values that the document gives as examples. */
function sampleRequest(document: OpenApiDocument, { method, path, operation }: Described): SampleRequest {
  const { parameters = [], requestBody, security } = operation
  const shown = requestBody?.content['application/json']?.example as object | undefined
  // An empty body is none: a reader's program need not send one.
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

/** Fields of a body that name something which is there already. */
const OWN_FIELDS = ['publicKey', 'productId', 'paymentTokenId']

/** What in the example stands for something of the reader's. Without this line an example runs as it stands. */
function ownValues({ parameters = [], requestBody }: OperationObject): Markup {
  const body = (requestBody?.content['application/json']?.example ?? {}) as Record<string, unknown>
  const named = parameters.filter(({ name, in: place }) => place !== 'header' || name === 'Origin')
  const values = [...named.map(({ example }) => example), ...OWN_FIELDS.map((name) => body[name])]
  const shown = values.filter((value) => value !== undefined).map((value) => `\`${value}\``)
  if (shown.length === 0) return null
  const list = new Intl.ListFormat('en').format(shown)
  return html`<p class="yours">${prose(`Put your own in place of ${list}.`)}</p>`
}

function parameterTable({ parameters = [] }: OperationObject): Markup {
  if (parameters.length === 0) return null
  const rows = parameters.map(({ name, in: place, required, schema, description }) => [
    html`<span><code>${name}</code> <span class="need">${place}${required ? ', required' : ''}</span></span>`,
    bounds(schema),
    description,
  ])
  return html`<h3>Parameters</h3>${table(['Name', 'Type', 'Meaning'], rows)}`
}

/** The fields of a named object, and those of objects within it that have no name of their own. */
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
      (code, index) => html`${index > 0 ? ', ' : ''}<a href=${`#error-${code}`}><code>${code}</code></a>`,
    )
    return [status, codes.length > 0 ? html`<span>${links}</span>` : response.description]
  })
  return table(['HTTP', 'When'], rows)
}
