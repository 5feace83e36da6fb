/**
 * Reads the JSON of other languages as it is meant. Many clients send null for an optional field that they do not use, PHP writes an
 * object without properties as a list without elements, and a shop below `.հայ` or `.рф` writes its host in its own script.
 */
import { z } from 'zod'

const HOST_BEYOND_ASCII = /^(https?:\/\/)([^/?#@]*[^\0-\x7f][^/?#@]*)/i

/** Returns the data in the form that the schema describes. What cannot be meant in another way stays as it was sent. */
export function asMeant(schema: z.ZodType | undefined, data: unknown): unknown {
  if (typeof data === 'string') return schema?.meta()?.format === 'uri' ? withAsciiHost(data) : data
  if (isEmptyList(data) && isObjectSchema(schema)) return {}
  if (!(schema instanceof z.ZodObject) || typeof data !== 'object' || data === null) return data
  const { shape } = schema
  const meant = Object.entries(data).flatMap(([name, value]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (!(field instanceof z.ZodOptional)) return [[name, asMeant(field, value)]]
    return value === null ? [] : [[name, asMeant(field.unwrap() as z.ZodType, value)]]
  })
  return Object.fromEntries(meant)
}

const isEmptyList = (data: unknown): boolean => Array.isArray(data) && data.length === 0

const isObjectSchema = (schema: z.ZodType | undefined): boolean =>
  schema instanceof z.ZodObject || schema instanceof z.ZodRecord

/** Writes the host as browsers send it (`xn--...`), because headers and providers take nothing else. */
function withAsciiHost(address: string): string {
  return address.replace(HOST_BEYOND_ASCII, (whole, scheme) =>
    URL.canParse(whole) ? `${scheme}${new URL(whole).host}` : whole,
  )
}
