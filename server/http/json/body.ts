/** Reads a request body as JSON in UTF-8, with limits on its size and depth. */

import { isUtf8 } from 'node:buffer'
import { MIMEType } from 'node:util'
import type { Request } from 'express'
import getRawBody from 'raw-body'
import { refuseCardData } from '../../card-number/card-data.ts'
import { type Visited, walk } from '../../card-number/walk.ts'
import { AppError } from '../../errors.ts'
import { translate } from '../../messages/translate.ts'
import { countNames, findSilentChanges, mayHoldLongNumbers } from './silent-changes.ts'

const BODY_BYTES_MAX = 64 * 1024
const DEPTH_MAX = 16
const KEYS_MAX = 1_000
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

/** Returns whether the headers announce a body. */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** `all`: every value in the data, as `walk` returns them. */
export type ReadJson = { data: unknown; all: readonly Visited[] }

/**
 * The media type is not checked if there is no body. `bodyOptional`: a request without a body counts as an empty object.
 * @throws AppError unsupported_media_type, payload_too_large, invalid_json, validation_failed
 */
export async function readJson(
  request: Request,
  {
    bodyOptional = false,
    bytesMax = BODY_BYTES_MAX,
  }: { bodyOptional?: boolean | undefined; bytesMax?: number | undefined } = {},
): Promise<ReadJson> {
  const type = request.headers['content-type']
  const why = whyUnread(type)
  // Whether a chunked body is empty is known only at its end.
  const mayBeAbsent =
    !hasBody(request) || (type === undefined && request.headers['content-length'] === undefined)
  if (why && !mayBeAbsent) throw why
  const bytes = await readBytes(request, bytesMax)
  if (typeof bytes === 'string') throw unreadable(bytes, bytesMax)
  if (bytes.length === 0 && bodyOptional) return { data: {}, all: [] }
  if (bytes.length === 0)
    throw new AppError('invalid_json', {
      message: translate('en', 'errors.body.none'),
      errors: { body: translate('en', 'errors.body.required') },
    })
  if (why) throw why
  const { text, data } = parse(bytes)
  // The libraries of some languages write a body that there is not as null.
  if (data === null && bodyOptional) return { data: {}, all: [] }
  const all = walk(data)
  const names = rejectDisallowedShapes(all)
  if (names !== countNames(text) || mayHoldLongNumbers(text)) rejectSilentChanges(text, data)
  return { data, all }
}

/** UTF-8 and ASCII, whose texts are UTF-8 too, as programs spell them, and as the C library names it. */
const CHARSETS_READ =
  /^["']?(?:utf[-_]?8(?:mb[34])?|(?:us[-_]?)?ascii|ansi_x3[._]4[-_]19(?:68|86)|iso[-_]?646[-_.]us)["']?$/i

/** Returns why the media type is not JSON in UTF-8, or null. Other parameters mean nothing for JSON, so they are ignored. */
function whyUnread(contentType: string | undefined): AppError | null {
  // What most clients send needs no parser.
  if (contentType === 'application/json') return null
  const { essence, params } = mediaTypeOf(contentType) ?? {}
  if (essence !== 'application/json') return new AppError('unsupported_media_type')
  if (CHARSETS_READ.test(params?.get('charset')?.trim() ?? 'utf-8')) return null
  return new AppError('unsupported_media_type', {
    message: translate('en', 'errors.body.charset'),
    hint: translate('en', 'errors.body.charsetHint'),
  })
}

function mediaTypeOf(contentType = ''): MIMEType | null {
  try {
    return new MIMEType(contentType)
  } catch {
    return null
  }
}

/** Why a body cannot be read. `incomplete`: the caller closed the connection in the middle of it. */
export type Unreadable = 'too_large' | 'encoded' | 'incomplete'

/** Returns the bytes of a body as they were sent, or why they cannot be read. Without a body there are no bytes. */
export async function readBytes(request: Request, bytesMax: number): Promise<Buffer | Unreadable> {
  if (!hasBody(request)) return Buffer.alloc(0)
  const { 'content-length': length = null, 'content-encoding': encoding = 'identity' } = request.headers
  if (Number(length) > bytesMax) return 'too_large'
  if (encoding.toLowerCase() !== 'identity') return 'encoded'
  try {
    return await getRawBody(request, { length, limit: bytesMax })
  } catch (error) {
    if ((error as getRawBody.RawBodyError).type !== 'entity.too.large') return 'incomplete'
    // Reading has stopped in the middle. The rest is thrown away, or the connection would never come to its next request.
    request.resume()
    return 'too_large'
  }
}

function unreadable(why: Unreadable, bytesMax: number): AppError {
  if (why === 'too_large')
    return new AppError('payload_too_large', {
      message: translate('en', 'errors.body.tooLarge', { kilobytes: String(bytesMax / 1024) }),
    })
  if (why === 'encoded')
    return new AppError('unsupported_media_type', {
      message: translate('en', 'errors.body.compressed'),
      hint: translate('en', 'errors.body.compressedHint'),
    })
  return new AppError('invalid_json', {
    message: translate('en', 'errors.body.incomplete'),
  })
}

const BYTE_ORDER_MARK = '\ufeff'

/** A TextDecoder takes several times as long. @throws Error if the bytes are no UTF-8 */
function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Error('The body is not in UTF-8.')
  const text = bytes.toString()
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

function parse(bytes: Buffer): { text: string; data: unknown } {
  try {
    const text = textOf(bytes)
    return { text, data: JSON.parse(text) }
  } catch {
    throw new AppError('invalid_json', { errors: { body: translate('en', 'errors.body.oneObject') } })
  }
}

/** Returns how many names all objects of the data have together. */
function rejectDisallowedShapes(all: readonly Visited[]): number {
  let keys = 0
  for (const { name, isElement, depth } of all) {
    if (depth > DEPTH_MAX) throw shapeError(`must not be nested deeper than ${DEPTH_MAX} levels`)
    if (isElement) continue
    if (++keys > KEYS_MAX) throw shapeError(`must not have more than ${KEYS_MAX} properties`)
    if (FORBIDDEN_KEYS.has(name)) throw shapeError(`must not have a property named ${name}`)
  }
  return keys
}

function rejectSilentChanges(text: string, data: unknown): void {
  const errors = findSilentChanges(text)
  if (Object.keys(errors).length === 0) return
  // The errors name properties, and a card number may be such a name.
  refuseCardData(data, 'body', { strict: true })
  throw new AppError('validation_failed', { errors })
}

function shapeError(problem: string): AppError {
  return new AppError('validation_failed', { errors: { body: problem } })
}
