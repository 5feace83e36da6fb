/** A page that is rendered once: its text, and the same text in each coding that a browser has asked for. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Request, Response } from 'express'
import { type Coding, codingFor } from '../compress.ts'

const FOR_MINUTES = 'public, max-age=300'
/** A little below the best level, because the page is compressed while its first reader waits. */
const BROTLI_QUALITY = 9

const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)

export type Packed = { etag: string; bodyIn(coding: Coding | 'identity'): Promise<Buffer> }

export function pack(text: string, brotliQuality = BROTLI_QUALITY): Packed {
  const identity = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality }
  const make = {
    identity: async () => identity,
    br: () => asBrotli(identity, { params }),
    gzip: () => asGzip(identity, { level: 9 }),
  }
  const made: Partial<Record<keyof typeof make, Promise<Buffer>>> = {}
  return {
    etag: createHash('sha256').update(identity).digest('base64url'),
    bodyIn(coding) {
      made[coding] ??= make[coding]().catch((error) => {
        delete made[coding]
        throw error
      })
      return made[coding]
    },
  }
}

/** Sends the page in the best coding that the browser accepts, or 304 if the browser has it. */
export async function sendPacked(
  request: Request,
  response: Response,
  { etag, bodyIn }: Packed,
  { type = 'html', cacheControl = FOR_MINUTES }: { type?: string; cacheControl?: string } = {},
): Promise<void> {
  const coding = codingFor(request) ?? 'identity'
  response.setHeader('Cache-Control', cacheControl)
  response.vary('Accept-Encoding')
  response.setHeader('ETag', `"${etag}-${coding}"`)
  if (request.fresh) return void response.status(304).end()
  const body = await bodyIn(coding)
  if (coding !== 'identity') response.setHeader('Content-Encoding', coding)
  response.type(type).send(body)
}
