/**
 * Checks requests and responses against PayPal's official OpenAPI documents. They are read from the folder that SPECS_DIR
 * names, and the project contains no part of them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { Reply, SimRequest } from '../../providers/paypal/simulator/reply.ts'

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

function openDocument(path: string, allowed: readonly string[]) {
  const document = JSON.parse(readFileSync(path, 'utf8')) as Schema & {
    paths: Record<string, Record<string, Operation>>
  }
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false, logger: false })
  formats.default(ajv)
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const compile = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer)
    if (known) return known
    const made = ajv.compile({ $ref: `document#${pointer}` })
    compiled.set(pointer, made)
    return made
  }
  const resolve = (given: unknown): Schema => {
    const schema = given as Schema
    if (typeof schema?.$ref !== 'string') return schema
    const names = schema.$ref.slice(2).split('/').map(unescapePointer)
    return resolve(names.reduce<unknown>((inner, name) => (inner as Schema)[name], document))
  }
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
    const { operation, template } = call
    const base = `/paths/${escapePointer(template)}/${call.method}`
    const judge = (what: string, pointer: string, text: string): string[] => {
      const value: unknown = JSON.parse(text)
      const validate = compile(`${pointer}/content/application~1json/schema`)
      validate(value)
      const wrong = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
      const schema = pointer
        .slice(1)
        .split('/')
        .map(unescapePointer)
        .reduce<unknown>((inner, name) => resolve((inner as Schema)[name]), document) as {
        content: Record<string, { schema: Schema }>
      }
      const extra = findExtra(value, [schema.content['application/json']?.schema ?? {}], resolve, '')
      const unknown = extra.filter((each) => !allowed.some((name) => each.endsWith(name)))
      return [...wrong, ...unknown.map((each) => `${each} is not in the document`)].map(
        (problem) => `${operation.operationId} ${what}: ${problem}`,
      )
    }
    const status = operation.responses[reply.status] ? String(reply.status) : 'default'
    const response = resolve(operation.responses[status])
    const parameters = (operation.parameters ?? []).map((each) => resolve(each) as unknown as Parameter)
    return {
      operation: `${operation.operationId} ${reply.status}`,
      problems: [
        ...parameters.flatMap((each) => judgeParameter(ajv, each, headers, operation.operationId)),
        ...(operation.requestBody ? judge('request', `${base}/requestBody`, body || '{}') : []),
        ...(response?.content
          ? judge(`answer ${reply.status}`, `${base}/responses/${status}`, reply.text)
          : reply.text === ''
            ? []
            : [`${operation.operationId} answer ${reply.status}: has a body`]),
      ],
    }
  }
}

function judgeParameter(
  ajv: Ajv,
  { in: place, name, required, schema }: Parameter,
  headers: Record<string, string>,
  operation: string,
): string[] {
  const value = headers[name.toLowerCase()]
  if (place !== 'header') return []
  if (value === undefined) return required ? [`${operation} request: has no ${name}`] : []
  return ajv.validate(schema, value) ? [] : [`${operation} request: ${name} ${ajv.errorsText()}`]
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
