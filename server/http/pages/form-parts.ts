/**
 * What a form may be made of. The bytes are searched for the borders of its parts first, so a form with too many parts is refused
 * before anything is parsed. Parsing 60,000 parts takes a second, and nobody else is served
 * meanwhile.
 */
import { AppError } from '../../errors.ts'

/** The largest form of ours has about 60 fields. */
export const PARTS_MAX = 100
/** The headers of one part: the names of the field and of the file. */
export const HEAD_BYTES_MAX = 1_024
/** A text in a form with files. Without files the whole form has at most so many bytes. */
export const TEXT_BYTES_MAX = 16_384
const NAME_CHARS_MAX = 200

const AMPERSAND = '&'.charCodeAt(0)
const HEAD_END = '\r\n\r\n'

/** Checks a form that is written like the query of an address. @throws AppError payload_too_large */
export function expectFewFields(bytes: Buffer): void {
  let fields = 1
  let start = 0
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== AMPERSAND) continue
    const equals = bytes.subarray(start, at).indexOf('=')
    if ((equals === -1 ? at - start : equals) > NAME_CHARS_MAX || fields++ > PARTS_MAX)
      throw new AppError('payload_too_large')
    start = at + 1
  }
}

/** Returns the border between the parts of a form with files; null if the header names none. */
export function borderIn(contentType: string): string | null {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain ?? null
}

export type Part = { name: string; isFile: boolean; bytes: Buffer }

/**
 * Cuts a form with files into its parts. No byte is copied, so a file of 5 MB takes no time. A library would read each part by
 * itself: the one of Node takes a tenth of a second for such a file.
 * @throws AppError payload_too_large, or not_found for what no browser sends
 */
export function cutParts(bytes: Buffer, border: string): Part[] {
  const line = Buffer.from(`\r\n--${border}`, 'latin1')
  // The first border has no line before it.
  const first = bytes.subarray(0, line.length - 2).equals(line.subarray(2)) ? -2 : bytes.indexOf(line)
  const borders: number[] = []
  for (let at = first; at !== -1; at = bytes.indexOf(line, at + line.length)) {
    borders.push(at)
    // The last one ends the form.
    if (borders.length > PARTS_MAX + 1) throw new AppError('payload_too_large')
  }
  const last = borders.pop()
  if (
    last === undefined ||
    !bytes
      .subarray(last + line.length)
      .toString('latin1', 0, 2)
      .startsWith('--')
  )
    throw new AppError('not_found')
  return borders.map((start, index) =>
    readPart(bytes.subarray(start + line.length, borders[index + 1] ?? last)),
  )
}

/** @throws AppError payload_too_large for a long head or text, or not_found for what no browser sends */
export function readPart(bytes: Buffer): Part {
  const head = bytes.subarray(0, HEAD_BYTES_MAX)
  const length = head.indexOf(HEAD_END)
  if (length === -1) throw new AppError(bytes.length > HEAD_BYTES_MAX ? 'payload_too_large' : 'not_found')
  const text = head.toString('utf8', 0, length)
  const [, name] = /^content-disposition: *form-data;.*?\bname="([^"]*)"/im.exec(text) ?? []
  if (name === undefined) throw new AppError('not_found')
  const isFile = /^content-disposition:.*;\s*filename\*?=/im.test(text)
  const body = bytes.subarray(length + HEAD_END.length)
  if (!isFile && body.length > TEXT_BYTES_MAX) throw new AppError('payload_too_large')
  return { name: name.replaceAll(/%0D|%0A|%22/g, decodeURIComponent), isFile, bytes: body }
}
