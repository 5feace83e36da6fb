/** Reads a request body as JSON in UTF-8, with limits on its size and depth. */
import { promisify } from 'node:util'
import express, { type Request, type Response } from 'express'
import { AppError } from '../errors.ts'
import { walk } from './walk.ts'

export const BODY_BYTES_MAX = 64 * 1024
const DEPTH_MAX = 16
const KEYS_MAX = 1_000
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

/** One reader for each size limit. */
const readers = new Map<number, ReturnType<typeof rawReader>>()
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Returns whether the headers announce a body. */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * The media type is not checked if there is no body. `bodyOptional`: a request without a body counts as an empty object.
 * @throws AppError unsupported_media_type, payload_too_large, invalid_json, validation_failed
 */
export async function readJson(
  request: Request,
  response: Response,
  {
    bodyOptional = false,
    bytesMax = BODY_BYTES_MAX,
  }: { bodyOptional?: boolean | undefined; bytesMax?: number | undefined } = {},
): Promise<unknown> {
  const type = request.headers['content-type']
  // Whether a chunked body is empty is known only at its end.
  const mayBeAbsent =
    !hasBody(request) || (type === undefined && request.headers['content-length'] === undefined)
  if (!isJson(type) && !mayBeAbsent) throw new AppError('unsupported_media_type')
  // Without this check the reader would read the whole body before it rejects it.
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const read = readers.get(bytesMax) ?? rawReader(bytesMax)
  readers.set(bytesMax, read)
  const bytes = await read(request, response).catch((error) => rejectUnreadable(error, bytesMax))
  if (bytes.length === 0 && bodyOptional) return {}
  if (bytes.length === 0)
    throw new AppError('invalid_json', {
      message: 'The request has no body.',
      errors: { body: 'is required: send one JSON object' },
    })
  if (!isJson(type)) throw new AppError('unsupported_media_type')
  const data = parse(bytes)
  rejectDisallowedShapes(data)
  return data
}

/** `application/json`, with UTF-8 as the only charset. */
function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? '')
}

/** Returns a function that reads a body as raw bytes. It rejects with the errors of `body-parser`. */
export function rawReader(bytesMax: number) {
  const read = promisify(express.raw({ limit: bytesMax, type: () => true, inflate: false }))
  return async (request: Request, response: Response): Promise<Buffer> => {
    await read(request, response)
    return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  }
}

function tooLarge(bytesMax: number): AppError {
  return new AppError('payload_too_large', {
    message: `The request body is larger than ${bytesMax / 1024} KB.`,
  })
}

/** The parser's own errors contain the body, so only their type is used. */
function rejectUnreadable({ type }: { type?: string }, bytesMax: number): never {
  if (type === 'entity.too.large') throw tooLarge(bytesMax)
  if (type === 'encoding.unsupported')
    throw new AppError('unsupported_media_type', {
      message: 'Compressed request bodies are not accepted. Send the body without Content-Encoding.',
    })
  throw new AppError('invalid_json', {
    message: 'The request body could not be read completely. Send it again.',
  })
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new AppError('invalid_json', { errors: { body: 'must be one JSON object' } })
  }
}

function rejectDisallowedShapes(data: unknown): void {
  let keys = 0
  for (const { name, isElement, depth } of walk(data)) {
    if (depth > DEPTH_MAX) throw shapeError(`must not be nested deeper than ${DEPTH_MAX} levels`)
    if (isElement) continue
    if (++keys > KEYS_MAX) throw shapeError(`must not have more than ${KEYS_MAX} properties`)
    if (FORBIDDEN_KEYS.has(name)) throw shapeError(`must not have a property named ${name}`)
  }
}

function shapeError(problem: string): AppError {
  return new AppError('validation_failed', { errors: { body: problem } })
}
