/** Files that are served as they are: the widget's bundle, to pages of any origin, and the public folder, to our own. */
import { fileURLToPath } from 'node:url'
import express, { type RequestHandler } from 'express'

const ROOT = new URL('../../', import.meta.url)
const ALIAS_SECONDS = 300
const STALE_SECONDS = 86_400

/**
 * The widget under its moving alias, /widget/v1/kassa.js. Shops load it from other origins, also with an integrity
 * hash, so it carries the two headers that helmet's defaults would forbid.
 */
export function widgetFiles(): RequestHandler {
  const router = express.Router()
  router.get('/v1/kassa.js', (request, response, next) => {
    const coding = request.acceptsEncodings('br', 'gzip', 'identity')
    const ending = { br: '.br', gzip: '.gz' }[coding || 'identity'] ?? ''
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.setHeader(
      'Cache-Control',
      `public, max-age=${ALIAS_SECONDS}, stale-while-revalidate=${STALE_SECONDS}`,
    )
    response.setHeader('Content-Type', 'text/javascript; charset=utf-8')
    response.vary('Accept-Encoding')
    if (ending) response.setHeader('Content-Encoding', coding as string)
    response.sendFile(
      `kassa.js${ending}`,
      { root: fileURLToPath(new URL('.dist/widget', ROOT)), dotfiles: 'allow', cacheControl: false },
      (error) => {
        if (!error || response.headersSent) return
        for (const name of response.getHeaderNames())
          if (/^(content-|cache-control)/.test(name)) response.removeHeader(name)
        next()
      },
    )
  })
  return router
}

/** The public folder, or one below it, as it is. */
export function publicFiles(folder = ''): RequestHandler {
  return express.static(fileURLToPath(new URL(`public/${folder}`, ROOT)), { index: 'index.html', maxAge: 0 })
}
