/**
 * Reads the JSON of other languages as it is meant. Many clients send null for an optional field that they do not use, PHP writes an
 * object without properties as a list without elements, and a shop below `.հայ` or `.рф` writes its host in its own script.
 */
import type { z } from 'zod'

const HOST_BEYOND_ASCII = /^(https?:\/\/)([^/?#@]*[^\0-\x7f][^/?#@]*)/i

/**
 * Returns the data in the form that the schema describes. A value with only one meaning stays as it was sent. Most bodies are returned
 * without a copy, because a copy of each takes longer than the schema's own checks.
 */
export function asMeant(schema: z.ZodType | undefined, data: unknown): unknown {
  if (typeof data === 'string') return HOST_BEYOND_ASCII.test(data) ? asMeantText(schema, data) : data
  if (typeof data !== 'object' || data === null) return data
  if (isEmptyList(data) && (isObject(schema) || isRecord(schema))) return {}
  return isObject(schema) ? asMeantObject(schema, data) : data
}

function asMeantText(schema: z.ZodType | undefined, text: string): string {
  return schema?.meta()?.format === 'uri' ? withAsciiHost(text) : text
}

function asMeantObject({ shape }: z.ZodObject, data: object): object {
  let meant: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(data)) {
    const field = Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined
    const given = isOptional(field) ? (field.unwrap() as z.ZodType) : field
    const isDropped = given !== field && value === null
    const read = isDropped ? null : asMeant(given, value)
    if (read === value && !isDropped) continue
    meant ??= { ...data }
    if (isDropped) delete meant[name]
    else meant[name] = read
  }
  return meant ?? data
}

const isEmptyList = (data: unknown): boolean => Array.isArray(data) && data.length === 0

// The definition has the kind. The library's `instanceof` takes several times as long.
const isObject = (schema: z.ZodType | undefined): schema is z.ZodObject => schema?.def.type === 'object'
const isOptional = (schema: z.ZodType | undefined): schema is z.ZodOptional => schema?.def.type === 'optional'
const isRecord = (schema: z.ZodType | undefined): boolean => schema?.def.type === 'record'

/** Writes the host as browsers send it (`xn--...`), because headers and providers take nothing else. */
function withAsciiHost(address: string): string {
  return address.replace(HOST_BEYOND_ASCII, (whole, scheme) =>
    URL.canParse(whole) ? `${scheme}${new URL(whole).host}` : whole,
  )
}
