/**
 * Checks requests and responses against PayPal's official OpenAPI documents. They are read from the folder that SPECS_DIR
 * names, and the project contains no part of them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { Reply, SimRequest } from '../providers/paypal/reply.ts'

const DOCUMENTS = [
  'checkout_orders_v2',
  'payments_payment_v2',
  'vault_payment_tokens_v3',
  'notifications_webhooks_v1',
  // Only if this document is in the same folder as the others.
  'customer_disputes_v1',
].map((name) => `paypal-${name}.json`)

type Schema = Record<string, unknown>
type Parameter = { in: string; name: string; required?: boolean; schema: Schema }
type Operation = {
  operationId: string
  parameters?: Schema[]
  requestBody?: Schema
  responses: Record<string, Schema>
}

/** Returns what is wrong with one exchange, one sentence each. `operation`: null if no document has the call. */
export type Judgement = { operation: string | null; problems: string[] }

/** The vault's document declares one type for a token and shows another one in its example. The example is right. */
const CONTRADICTIONS = [/^payment-tokens\.create request: .*\/payment_source\/token\/type must be equal/]

/** `allowed`: fields that are newer than the documents. */
export function openDocuments(folder: string, allowed: readonly string[]) {
  const files = DOCUMENTS.map((file) => join(folder, file)).filter((file) => existsSync(file))
  const documents = files.map((file) => openDocument(file, allowed))
  return (request: SimRequest, reply: Reply): Judgement => {
    for (const judge of documents) {
      const judgement = judge(request, reply)
      if (judgement)
        return {
          ...judgement,
          problems: judgement.problems.filter((each) => !CONTRADICTIONS.some((known) => known.test(each))),
        }
    }
    return { operation: null, problems: [] }
  }
}

/** The schema of an event's resource, by the event's name, with its document. */
const RESOURCES: [RegExp, document: string, schema: string][] = [
  [/^CHECKOUT\.ORDER\./, 'checkout_orders_v2', 'order'],
  [/^PAYMENT\.AUTHORIZATION\./, 'payments_payment_v2', 'authorization'],
  [/^PAYMENT\.(REFUND\.|CAPTURE\.REFUNDED$)/, 'payments_payment_v2', 'refund'],
  [/^PAYMENT\.CAPTURE\./, 'payments_payment_v2', 'capture'],
  [/^VAULT\.PAYMENT-TOKEN\./, 'vault_payment_tokens_v3', 'payment_token_response'],
  [/^CUSTOMER\.DISPUTE\./, 'customer_disputes_v1', 'dispute'],
]

/** Judges events by the document of webhooks, and their resources by the resources' own documents. */
export function openEvents(folder: string) {
  const read = (name: string) =>
    schemasOf(JSON.parse(readFileSync(join(folder, `paypal-${name}.json`), 'utf8')))
  const webhooks = read('notifications_webhooks_v1')
  const documents = new Map(RESOURCES.map(([, document]) => [document, read(document)]))
  return (text: string): { resource: string | null; problems: string[] } => {
    const event = JSON.parse(text) as Schema & { event_type: string; resource: Schema }
    const [, document = '', schema = null] = RESOURCES.find(([name]) => name.test(event.event_type)) ?? []
    const schemas = documents.get(document)
    if (!schemas || schema === null) return { resource: null, problems: [`${event.event_type} is unknown`] }
    const problems = [
      ...judgeSchema(webhooks, '/components/schemas/event', event, []),
      ...judgeSchema(schemas, `/components/schemas/${schema}`, event.resource, EVENTS_ONLY),
    ]
    return { resource: schema, problems: problems.map((problem) => `${event.event_type}: ${problem}`) }
  }
}

/** Resources have this in events, which no document shows. */
const EVENTS_ONLY = ['/supplementary_data']

function judgeSchema(
  schemas: Schemas,
  pointer: string,
  value: unknown,
  allowed: readonly string[],
): string[] {
  const validate = schemas.compile(pointer)
  validate(value)
  const wrong = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  const extra = findExtra(value, [schemas.at(pointer) as Schema], schemas.resolve, '')
  const unknown = extra.filter((each) => !allowed.some((name) => each.endsWith(name)))
  return [...wrong, ...unknown.map((each) => `${each} is not in the document`)]
}

/** Returns null for a call that is not in the document. */
function openDocument(path: string, allowed: readonly string[]) {
  const document = JSON.parse(readFileSync(path, 'utf8')) as Schema & {
    paths: Record<string, Record<string, Operation>>
  }
  const schemas = schemasOf(document)
  const calls = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      template,
      method,
      operation,
      path: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )

  return ({ method, url, headers, body }: SimRequest, reply: Reply): Judgement | null => {
    const { pathname } = new URL(url, 'http://paypal')
    const call = calls.find((each) => each.method === method.toLowerCase() && each.path.test(pathname))
    if (!call) return null
    const { operationId, parameters = [], requestBody, responses } = call.operation
    const base = `/paths/${escapePointer(call.template)}/${call.method}`
    const status = responses[reply.status] ? String(reply.status) : 'default'
    const judgeReply = () => {
      if (schemas.resolve(responses[status])?.content)
        return judgeBody(schemas, `${base}/responses/${status}`, reply.text, allowed)
      return reply.text === '' ? [] : ['has a body']
    }
    const requestProblems = [
      ...parameters.flatMap((each) => judgeParameter(schemas, each, headers)),
      ...(requestBody ? judgeBody(schemas, `${base}/requestBody`, body || '{}', allowed) : []),
    ]
    return {
      operation: `${operationId} ${reply.status}`,
      problems: [
        ...requestProblems.map((problem) => `${operationId} request: ${problem}`),
        ...judgeReply().map((problem) => `${operationId} answer ${reply.status}: ${problem}`),
      ],
    }
  }
}

type Schemas = ReturnType<typeof schemasOf>

/** The schemas of a document, by their pointers into it. */
function schemasOf(document: Schema) {
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, logger: false })
  formats.default(ajv)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const at = (pointer: string): unknown =>
    pointer
      .slice(1)
      .split('/')
      .map(unescapePointer)
      .reduce<unknown>((inner, name) => resolve((inner as Schema)[name]), document)
  /** Returns the schema to which a reference points, or the schema itself. */
  function resolve(given: unknown): Schema {
    const schema = given as Schema
    return typeof schema?.$ref === 'string' ? (at(schema.$ref.slice(1)) as Schema) : schema
  }
  return {
    ajv,
    at,
    resolve,
    compile(pointer: string): ValidateFunction {
      const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` })
      compiled.set(pointer, validate)
      return validate
    },
  }
}

/** `pointer`: of the body, which may be a request's or a response's. */
function judgeBody(schemas: Schemas, pointer: string, text: string, allowed: readonly string[]): string[] {
  return judgeSchema(schemas, `${pointer}/content/application~1json/schema`, JSON.parse(text), allowed)
}

function judgeParameter(
  { ajv, resolve }: Schemas,
  parameter: Schema,
  headers: Record<string, string>,
): string[] {
  const { in: place, name, required, schema } = resolve(parameter) as unknown as Parameter
  const value = headers[name.toLowerCase()]
  if (place !== 'header') return []
  if (value === undefined) return required ? [`has no ${name}`] : []
  return ajv.validate(schema, value) ? [] : [`${name} ${ajv.errorsText()}`]
}

/** Returns the fields of a value that are in none of the schemas, as paths. */
function findExtra(
  value: unknown,
  schemas: readonly Schema[],
  resolve: (schema: unknown) => Schema,
  path: string,
): string[] {
  const all = schemas.flatMap((each) => expand(each, resolve))
  if (Array.isArray(value)) {
    const items = all.flatMap(({ items: inner }) => (inner ? [inner as Schema] : []))
    return items.length === 0 ? [] : value.flatMap((each) => findExtra(each, items, resolve, path))
  }
  if (typeof value !== 'object' || value === null) return []
  const known = all.filter(({ properties }) => properties)
  if (known.length === 0) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = known.flatMap(({ properties }) => {
      const found = (properties as Record<string, Schema>)[name]
      return found ? [found] : []
    })
    return own.length === 0 ? [`${path}/${name}`] : findExtra(inner, own, resolve, `${path}/${name}`)
  })
}

/** Returns the schema with all the schemas from which it is composed. */
function expand(given: Schema, resolve: (schema: unknown) => Schema): Schema[] {
  const schema = resolve(given)
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => (schema[name] as Schema[] | undefined) ?? [])
  return [schema, ...parts.flatMap((each) => expand(each, resolve))]
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
const unescapePointer = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')
