/** The document at /openapi.json: written once, and readable from every origin, because it holds no secret. */
import { createHash } from 'node:crypto'
import type { RequestHandler } from 'express'
import { openApiDocument } from './document.ts'

const CACHE_SECONDS = 300

export function serveOpenApi({ baseUrl }: { baseUrl: string }): RequestHandler {
  const text = `${JSON.stringify(openApiDocument(baseUrl), null, 2)}\n`
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  return (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    response.setHeader('Cache-Control', `public, max-age=${CACHE_SECONDS}`)
    response.setHeader('ETag', etag)
    if (request.fresh) response.status(304).end()
    else response.type('json').send(text)
  }
}
