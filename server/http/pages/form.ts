/** Reads the posted form of a page. A form that is too long is refused by its Content-Length, before it arrives. */
import { parse } from 'node:querystring'
import type { Request } from 'express'
import { AppError } from '../../errors.ts'
import { readBytes } from '../body.ts'

const FIELDS_MAX = 100

/** Returns its fields, a list for a field that is repeated. @throws AppError */
export async function readForm(request: Request, bytesMax: number): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, bytesMax)
  if (bytes === 'too_large') throw new AppError('payload_too_large')
  // No browser sends such a request.
  if (typeof bytes === 'string') throw new AppError('not_found')
  const isForm = request.is('application/x-www-form-urlencoded')
  return isForm ? parse(bytes.toString('utf8'), '&', '=', { maxKeys: FIELDS_MAX }) : {}
}
