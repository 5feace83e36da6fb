/** A page that is rendered once: its text, and the same text compressed. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Request, Response } from 'express'
import { codingFor } from '../compress.ts'

const FOR_MINUTES = 'public, max-age=300'
/** A little below the best level, because the page is compressed while its first reader waits. */
const BROTLI_QUALITY = 9

const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)

export type Packed = { etag: string; bodies: Record<'br' | 'gzip' | 'identity', Buffer> }

export async function pack(text: string, brotliQuality = BROTLI_QUALITY): Promise<Packed> {
  const identity = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality }
  const [br, zipped] = await Promise.all([asBrotli(identity, { params }), asGzip(identity, { level: 9 })])
  const etag = createHash('sha256').update(identity).digest('base64url')
  return { etag, bodies: { br, gzip: zipped, identity } }
}

/** Sends the page in the best coding that the browser accepts, or 304 if the browser has it. */
export function sendPacked(
  request: Request,
  response: Response,
  { etag, bodies }: Packed,
  { type = 'html', cacheControl = FOR_MINUTES }: { type?: string; cacheControl?: string } = {},
): void {
  const coding = codingFor(request) ?? 'identity'
  response.setHeader('Cache-Control', cacheControl)
  response.vary('Accept-Encoding')
  response.setHeader('ETag', `"${etag}-${coding}"`)
  if (request.fresh) return void response.status(304).end()
  if (coding !== 'identity') response.setHeader('Content-Encoding', coding)
  response.type(type).send(bodies[coding])
}
