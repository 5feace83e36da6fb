/**
 * Compresses responses that are written for one request: pages, the API's JSON, errors. Files and documents that never change
 * are compressed once, in `packed.ts`.
 * Compression can reveal a secret (BREACH) if three things are true: a stranger can make the buyer's browser send the request,
 * the response repeats a text of the stranger's, and it contains a secret that is the same in every response. No response here
 * has all three. The API identifies its callers by a header that no other site can send. The page of a payment shows only the
 * id that is in its own address. The token of a form is new in each response. A cookie may contain the id of a payment that the
 * browser has begun, and no page contains that id: `pages/buyer-cookies.ts`.
 */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Express, Request, Response } from 'express'

/** A response that fits into one packet does not arrive sooner if it is smaller. */
const BYTES_MIN = 1_400
/** About 0.2 ms for a page. The next level takes twice as long, for two percent. */
const BROTLI_QUALITY = 4
const GZIP_LEVEL = 6

const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** Returns the best coding that the browser accepts. We use our own order: browsers list gzip first, but that is no preference. */
export function codingFor(request: Request): Coding | undefined {
  return CODINGS.find((each) => request.acceptsEncodings(each))
}

/** From now on every text that the app sends is compressed. */
export function compressTexts({ response: every }: Express): void {
  const { send } = every
  every.send = function sendCompressed(this: Response, body) {
    if (typeof body !== 'string' || this.hasHeader('Content-Encoding')) return send.call(this, body)
    const encoded = encodeText(this.req, this, body)
    if (typeof encoded !== 'string' && !this.hasHeader('Content-Type')) this.type('html')
    return send.call(this, encoded)
  }
}

/** Returns the text as it is sent, and sets its headers. A short text is not compressed. */
export function encodeText(request: Request, response: Response, text: string): string | Buffer {
  if (Buffer.byteLength(text) < BYTES_MIN) return text
  response.vary('Accept-Encoding')
  const coding = codingFor(request)
  if (!coding) return text
  response.setHeader('Content-Encoding', coding)
  return compressed(Buffer.from(text), coding)
}

function compressed(bytes: Buffer, coding: Coding): Buffer {
  return coding === 'br'
    ? brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    : gzipSync(bytes, { level: GZIP_LEVEL })
}
