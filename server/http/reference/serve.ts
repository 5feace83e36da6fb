/** The reference page at /docs: written once, at the first request for it. */
import { createHash } from 'node:crypto'
import type { RequestHandler } from 'express'
import type { Context } from '../../context.ts'
import { openApiDocument } from '../openapi/document.ts'
import { referencePage } from './page.ts'

const CACHE_SECONDS = 300

export function serveReference({ baseUrl, config }: Pick<Context, 'baseUrl' | 'config'>): RequestHandler {
  let text = ''
  let etag = ''
  return (request, response) => {
    text ||= referencePage(openApiDocument(baseUrl), config.rateLimits)
    etag ||= `"${createHash('sha256').update(text).digest('base64url')}"`
    response.setHeader('Cache-Control', `public, max-age=${CACHE_SECONDS}`)
    response.setHeader('ETag', etag)
    if (request.fresh) response.status(304).end()
    else response.type('html').send(text)
  }
}
