/**
 * Reads a form whose file is too long for us, such as a photo of a new telephone. The file is thrown away while it arrives, and the
 * texts are kept, so that whoever typed them gets the form again and not a bare page.
 */
import type { Request } from 'express'
import { AppError } from '../../errors.ts'
import { HEAD_BYTES_MAX, PARTS_MAX, type Part, readPart, TEXT_BYTES_MAX } from './form-parts.ts'

/** The largest photos of telephones have about 50 MB. */
export const LONG_FORM_BYTES_MAX = 64 * 1024 * 1024
/** Enough to know that a part is too long, whatever it is. */
const KEPT_BYTES = HEAD_BYTES_MAX + TEXT_BYTES_MAX + 1

type Gathered = { chunks: Buffer[]; length: number; isTooLong: boolean }

/** A part that has more than `partBytesMax` is cut, and has `isTooLong`. */
export type LongPart = Part & { isTooLong: boolean }

/** @throws AppError payload_too_large, or not_found for what no browser sends */
export async function readLongForm(
  request: Request,
  border: string,
  partBytesMax: number,
): Promise<LongPart[]> {
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
  // What stands before the first border is no part.
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
