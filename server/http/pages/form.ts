/** Reads the posted form of a page. A form that is too long is refused by its Content-Length, before it arrives. */
import { parse } from 'node:querystring'
import type { Request } from 'express'
import { AppError } from '../../errors.ts'
import { readBytes } from '../json/body.ts'
import { borderIn, cutParts, expectFewFields, type Part, TEXT_BYTES_MAX } from './form-parts.ts'

/**
 * Returns the fields and the files of a form that may carry files. An input without a chosen file is left out.
 * @throws AppError
 */
export async function readFormWithFiles(
  request: Request,
  bytesMax: number,
): Promise<{ fields: Record<string, unknown>; files: Record<string, Buffer> }> {
  if (!request.is('multipart/form-data'))
    return { fields: await readForm(request, TEXT_BYTES_MAX), files: {} }
  const border = borderIn(request.headers['content-type'] ?? '')
  if (border === null) throw new AppError('not_found')
  const bytes = await readBytes(request, bytesMax)
  if (bytes === 'too_large') throw new AppError('payload_too_large')
  if (typeof bytes === 'string') throw new AppError('not_found')
  const parts = cutParts(bytes, border)
  const named = (list: Part[]) => list.map(({ name, bytes }) => [name, bytes] as const)
  const [files, fields] = [parts.filter(({ isFile }) => isFile), parts.filter(({ isFile }) => !isFile)]
  return {
    fields: Object.fromEntries(named(fields).map(([name, text]) => [name, text.toString('utf8')])),
    files: Object.fromEntries(named(files).filter(([, { length }]) => length > 0)),
  }
}

/** Returns its fields, a list for a field that is repeated. @throws AppError */
export async function readForm(request: Request, bytesMax: number): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, bytesMax)
  if (bytes === 'too_large') throw new AppError('payload_too_large')
  // No browser sends such a request.
  if (typeof bytes === 'string') throw new AppError('not_found')
  if (!request.is('application/x-www-form-urlencoded')) return {}
  expectFewFields(bytes)
  return parse(bytes.toString('utf8'), '&', '=', { maxKeys: 0 })
}
