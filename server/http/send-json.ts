import type { Response } from 'express'
import { encodeText } from './compress.ts'

/**
 * Sends a JSON body as one string, so that Node writes head and body in one piece. Express makes a Buffer of a body of 1,000
 * characters and more, and Node then writes two pieces. A long body is compressed here, because `compressTexts` sees only what
 * Express sends.
 */
export function sendJson(response: Response, status: number, body: object): void {
  const text = encodeText(response.req, response, JSON.stringify(body))
  response.statusCode = status
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', Buffer.byteLength(text))
  response.end(text)
}
