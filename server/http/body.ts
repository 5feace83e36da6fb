/** A request body to plain data: JSON in UTF-8, bounded in size and depth, before anything else looks at it. */
import { promisify } from 'node:util'
import express, { type Request, type Response } from 'express'
import { AppError } from '../errors.ts'
import { walk } from './walk.ts'

export const BODY_BYTES_MAX = 64 * 1024
const DEPTH_MAX = 16
const KEYS_MAX = 1_000
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

/** One reader for each size. */
const readers = new Map<number, ReturnType<typeof rawReader>>()
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Whether the request announces a body of any length. */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * A body that is absent has no media type to be judged. `bodyOptional`: an absent body is an empty object.
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
  // A chunked body shows only at its end whether it is empty.
  const mayBeAbsent =
    !hasBody(request) || (type === undefined && request.headers['content-length'] === undefined)
  if (!isJson(type) && !mayBeAbsent) throw new AppError('unsupported_media_type')
  // The reader would wait for the whole body before it refuses.
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const read = readers.get(bytesMax) ?? rawReader(bytesMax)
  readers.set(bytesMax, read)
  const bytes = await read(request, response).catch((error) => refuse(error, bytesMax))
  if (bytes.length === 0 && bodyOptional) return {}
  if (bytes.length === 0)
    throw new AppError('invalid_json', {
      message: 'The request has no body.',
      errors: { body: 'is required: send one JSON object' },
    })
  if (!isJson(type)) throw new AppError('unsupported_media_type')
  const data = parse(bytes)
  refuseOddShapes(data)
  return data
}

/** `application/json`, with UTF-8 as the only charset. */
function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? '')
}

/** Makes a reader of bodies, byte for byte as they were sent. It rejects with the errors of `body-parser`. */
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

/** The parser's own errors carry the body: nothing of theirs but the kind is kept. */
function refuse({ type }: { type?: string }, bytesMax: number): never {
  if (type === 'entity.too.large') throw tooLarge(bytesMax)
  if (type === 'encoding.unsupported')
    throw new AppError('unsupported_media_type', { message: 'Compressed request bodies are not taken.' })
  throw new AppError('invalid_json', { message: 'The request body could not be read to its end.' })
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new AppError('invalid_json', { errors: { body: 'must be one JSON object' } })
  }
}

function refuseOddShapes(data: unknown): void {
  let keys = 0
  for (const { name, isElement, depth } of walk(data)) {
    if (depth > DEPTH_MAX) throw odd(`must not be nested deeper than ${DEPTH_MAX} levels`)
    if (isElement) continue
    if (++keys > KEYS_MAX) throw odd(`must not have more than ${KEYS_MAX} properties`)
    if (FORBIDDEN_KEYS.has(name)) throw odd(`must not have a property named ${name}`)
  }
}

function odd(problem: string): AppError {
  return new AppError('validation_failed', { errors: { body: problem } })
}
