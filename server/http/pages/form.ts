/**
 * Reads the posted form of a page. A form that is too long is refused by its Content-Length, before it arrives. If only a file in
 * it is too long, such as a photo of a new telephone, the file is thrown away while it arrives. The texts are kept, so people who
 * typed them get the form again and not a bare page.
 */
import { parse } from 'node:querystring'
import type { Request } from 'express'
import { AppError } from '../../errors.ts'
import { readBytes } from '../json/body.ts'
import {
  borderIn,
  cutParts,
  expectFewFields,
  HEAD_BYTES_MAX,
  PARTS_MAX,
  type Part,
  readPart,
  TEXT_BYTES_MAX,
} from './form-parts.ts'

/** `tooLong`: the names of files that have more bytes than a file may. They are not among the `files`. */
type FormWithFiles = {
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

/** Somebody may choose a video. It is thrown away while it arrives, so it costs only its time. */
const LONG_FORM_BYTES_MAX = 512 * 1024 * 1024
/** Enough to know that a part is too long, whatever it is. */
const KEPT_BYTES = HEAD_BYTES_MAX + TEXT_BYTES_MAX + 1

type Gathered = { chunks: Buffer[]; length: number; isTooLong: boolean }

/** A part that has more than `partBytesMax` is cut, and has `isTooLong`. */
type LongPart = Part & { isTooLong: boolean }

/** @throws AppError payload_too_large, or not_found for what no browser sends */
async function readLongForm(request: Request, border: string, partBytesMax: number): Promise<LongPart[]> {
  try {
    return (await gather(request, border, partBytesMax)).map(({ chunks, isTooLong }) => ({
      ...readPart(Buffer.concat(chunks)),
      isTooLong,
    }))
  } catch (error) {
    // The rest is thrown away, or the connection would never come to its next request.
    request.resume()
    throw error instanceof AppError ? error : new AppError('not_found')
  }
}

async function gather(request: Request, border: string, partBytesMax: number): Promise<Gathered[]> {
  const line = Buffer.from(`\r\n--${border}`, 'latin1')
  // The bytes before the first border are not a part.
  const parts: Gathered[] = [emptyPart()]
  // The first border has no line before it.
  let pending = Buffer.from('\r\n')
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > LONG_FORM_BYTES_MAX) throw new AppError('payload_too_large')
    pending = Buffer.concat([pending, chunk])
    for (let at = pending.indexOf(line); at !== -1; at = pending.indexOf(line)) {
      add(parts.at(-1) as Gathered, pending.subarray(0, at), partBytesMax)
      parts.push(emptyPart())
      if (parts.length > PARTS_MAX + 2) throw new AppError('payload_too_large')
      pending = pending.subarray(at + line.length)
    }
    // The end may be the beginning of a border.
    const known = Math.max(0, pending.length - line.length)
    add(parts.at(-1) as Gathered, pending.subarray(0, known), partBytesMax)
    pending = pending.subarray(known)
  }
  const end = parts.pop()
  const rest = Buffer.concat([...(end?.chunks ?? []), pending]).toString('latin1', 0, 2)
  if (parts.length === 0 || rest !== '--') throw new AppError('not_found')
  return parts.slice(1)
}

const emptyPart = (): Gathered => ({ chunks: [], length: 0, isTooLong: false })

function add(part: Gathered, bytes: Buffer, partBytesMax: number): void {
  if (part.isTooLong || bytes.length === 0) return
  part.chunks.push(bytes)
  part.length += bytes.length
  if (part.length <= partBytesMax) return
  part.isTooLong = true
  part.chunks = [Buffer.from(Buffer.concat(part.chunks).subarray(0, KEPT_BYTES))]
}
