/** Reads the posted form of a page. A form that is too long is refused by its Content-Length, before it arrives. */
import { parse } from 'node:querystring'
import type { Request } from 'express'
import { AppError } from '../../errors.ts'
import { readBytes } from '../body.ts'

const FIELDS_MAX = 100

/**
 * Returns the fields and the files of a form that may carry files. An input without a chosen file is left out.
 * @throws AppError
 */
export async function readFormWithFiles(
  request: Request,
  bytesMax: number,
): Promise<{ fields: Record<string, unknown>; files: Record<string, Buffer> }> {
  if (!request.is('multipart/form-data')) return { fields: await readForm(request, bytesMax), files: {} }
  const bytes = await readBytes(request, bytesMax)
  if (bytes === 'too_large') throw new AppError('payload_too_large')
  if (typeof bytes === 'string') throw new AppError('not_found')
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(bytes), { headers }).formData().catch(() => {
    throw new AppError('not_found')
  })
  const fields: Record<string, string> = {}
  const files: Record<string, Buffer> = {}
  for (const [name, value] of form)
    if (typeof value === 'string') fields[name] = value
    else if (value.size > 0) files[name] = Buffer.from(await value.arrayBuffer())
  return { fields, files }
}

/** Returns its fields, a list for a field that is repeated. @throws AppError */
export async function readForm(request: Request, bytesMax: number): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, bytesMax)
  if (bytes === 'too_large') throw new AppError('payload_too_large')
  // No browser sends such a request.
  if (typeof bytes === 'string') throw new AppError('not_found')
  const isForm = request.is('application/x-www-form-urlencoded')
  return isForm ? parse(bytes.toString('utf8'), '&', '=', { maxKeys: FIELDS_MAX }) : {}
}
