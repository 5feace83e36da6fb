/**
 * Reads the posted form of a page. A form that is too long is refused by its Content-Length, before it arrives, unless it is a file
 * in it that is too long.
 */
import { parse } from 'node:querystring'
import type { Request } from 'express'
import { AppError } from '../../errors.ts'
import { readBytes } from '../json/body.ts'
import { borderIn, cutParts, expectFewFields, type Part, TEXT_BYTES_MAX } from './form-parts.ts'
import { LONG_FORM_BYTES_MAX, readLongForm } from './long-form.ts'

/** `tooLong`: the names of files that have more bytes than a file may. They are not among the `files`. */
export type FormWithFiles = {
  fields: Record<string, unknown>
  files: Record<string, Buffer>
  tooLong: readonly string[]
}

/**
 * Returns the fields and the files of a form that may carry files. An input without a chosen file is left out.
 * `bytesMax`: of a form that is read as a whole. A longer one is read without its long files.
 * @throws AppError
 */
export async function readFormWithFiles(
  request: Request,
  { bytesMax, fileBytesMax }: { bytesMax: number; fileBytesMax: number },
): Promise<FormWithFiles> {
  if (!request.is('multipart/form-data'))
    return { fields: await readForm(request, TEXT_BYTES_MAX), files: {}, tooLong: [] }
  const border = borderIn(request.headers['content-type'] ?? '')
  if (border === null) throw new AppError('not_found')
  const length = Number(request.headers['content-length'] ?? 0)
  const parts: (Part & { isTooLong?: boolean })[] =
    length > bytesMax && length <= LONG_FORM_BYTES_MAX
      ? await readLongForm(request, border, fileBytesMax)
      : cutParts(await readWhole(request, bytesMax), border)
  const isLong = ({ isTooLong, bytes }: (typeof parts)[number]) =>
    isTooLong === true || bytes.length > fileBytesMax
  const files = parts.filter(({ isFile }) => isFile)
  const whole = files.filter((each) => !isLong(each) && each.bytes.length > 0)
  const fields = parts.filter(({ isFile }) => !isFile)
  return {
    fields: Object.fromEntries(fields.map(({ name, bytes }) => [name, bytes.toString('utf8')])),
    files: Object.fromEntries(whole.map(({ name, bytes }) => [name, bytes])),
    tooLong: files.filter(isLong).map(({ name }) => name),
  }
}

async function readWhole(request: Request, bytesMax: number): Promise<Buffer> {
  const bytes = await readBytes(request, bytesMax)
  if (bytes === 'too_large') throw new AppError('payload_too_large')
  // No browser sends such a request.
  if (typeof bytes === 'string') throw new AppError('not_found')
  return bytes
}

/** Returns its fields, a list for a field that is repeated. @throws AppError */
export async function readForm(request: Request, bytesMax: number): Promise<Record<string, unknown>> {
  const bytes = await readWhole(request, bytesMax)
  if (!request.is('application/x-www-form-urlencoded')) return {}
  expectFewFields(bytes)
  return parse(bytes.toString('utf8'), '&', '=', { maxKeys: 0 })
}
