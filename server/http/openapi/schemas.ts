/**
 * The document's component schemas, made of the contract's own zod schemas with what they say about each field. So the document says what
 * is really checked.
 */
import { z } from 'zod'
import * as capability from '../../contract/capability.ts'
import * as event from '../../contract/event.ts'
import * as failure from '../../contract/failure.ts'
import * as fields from '../../contract/fields.ts'
import * as formats from '../../contract/formats.ts'
import * as health from '../../contract/health.ts'
import * as link from '../../contract/link.ts'
import * as operation from '../../contract/operation.ts'
import * as payment from '../../contract/payment.ts'
import * as paymentMethodToken from '../../contract/payment-method-token.ts'
import * as subscription from '../../contract/subscription.ts'
import * as widget from '../../contract/widget.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'

/** A JSON Schema (2020-12), with the keywords that the document and its pages use. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  enum?: unknown[]
  [keyword: string]: unknown
}

/** The files of the contract room. A schema has the same name in the document as in its file. */
export const CONTRACT = {
  capability,
  event,
  failure,
  fields,
  formats,
  health,
  link,
  operation,
  payment,
  'payment-method-token': paymentMethodToken,
  subscription,
  widget,
}

const PREFIX = '#/components/schemas/'
export const refTo = (name: string): Schema => ({ $ref: `${PREFIX}${name}` })
export const nameOf = (schema: Schema): string | undefined => schema.$ref?.slice(PREFIX.length)

/** Objects and enumerations have names. Plain strings and numbers are written out in place. */
const names = z.registry<{ id: string }>()
for (const file of Object.values(CONTRACT))
  for (const [id, schema] of Object.entries(file))
    if (schema instanceof z.ZodObject || schema instanceof z.ZodEnum) names.add(schema, { id })

/** A schema as the document shows it: a reference if it has a name. */
export function schemaOf(schema: z.ZodType): Schema {
  const id = names.get(schema)?.id
  return id ? refTo(id) : fieldsOf(schema)
}

/** A schema written out, because a parameter cannot refer to a named one. */
export const fieldsOf = (schema: z.ZodType): Schema =>
  makeSchemas(z.registry<{ id: string }>().add(schema, { id: 'it' })).it ?? {}

function makeSchemas(registry: typeof names): Record<string, Schema> {
  const made = z.toJSONSchema(registry, {
    uri: (id) => `${PREFIX}${id}`,
    override: ({ jsonSchema }) => tidy(jsonSchema as Schema),
  })
  return made.schemas as Record<string, Schema>
}

/** Formats that say exactly what is accepted. Of `uri`, only web addresses are accepted, so its pattern stays. */
const EXACT_FORMATS = ['email', 'date-time']

/** Removes what only repeats another keyword, and properties that exist only to be rejected. */
function tidy(schema: Schema): void {
  for (const keyword of ['$schema', '$id']) delete schema[keyword]
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames
  if (EXACT_FORMATS.includes(String(schema.format))) delete schema.pattern
  if (
    typeof schema.additionalProperties === 'object' &&
    Object.keys(schema.additionalProperties).length === 0
  )
    schema.additionalProperties = true
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (property.not !== undefined) delete schema.properties?.[name]
}

let described: Record<string, Schema> | null = null

/**
 * Every named schema with its fields' descriptions, and the list of error codes. They are made once, because each parameter and
 * response of the document needs them.
 */
function describedSchemas(): Record<string, Schema> {
  described ??= makeDescribedSchemas()
  return described
}

function makeDescribedSchemas(): Record<string, Schema> {
  const schemas = makeSchemas(names)
  for (const schema of Object.values(schemas)) {
    delete schema.$schema
    delete schema.$id
  }
  const error = schemas.ErrorResponse?.properties?.error?.properties
  const invalid = schemas.ValidationErrorResponse?.properties?.error?.properties
  const refused = schemas.OperationErrorResponse?.properties?.error?.properties
  for (const properties of [error, invalid, refused]) if (properties) properties.code = refTo('ErrorCode')
  return { ...schemas, ErrorCode: errorCodes() }
}

function errorCodes(): Schema {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  const rows = codes.map((code) => `- \`${code}\` (${ERRORS[code].status}): ${ERRORS[code].message}`)
  return {
    type: 'string',
    description: `The error’s name, for programs. Accept codes that are not in this list: new ones may be added.\n\n${rows.join('\n')}`,
    examples: codes,
  }
}

/** The named schemas that `parts` of the document refer to, directly or through each other. */
export function componentSchemas(parts: unknown): Record<string, Schema> {
  const all = describedSchemas()
  const used = new Set<string>()
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue
      used.add(name)
      visit(all[name])
    }
  }
  visit(parts)
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)))
}
