/**
 * The widget for pages of any origin: each version for ever under its own address, the current one under an alias, and
 * the list of them with their hashes. Everything is read at the start, so that a hash always fits what is sent.
 */
import express, { type RequestHandler, type Response } from 'express'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { VERSION } from '../version.ts'
import { readWidgetBuilds, type WidgetBuild } from '../widget-build.ts'

const ALIAS = '/v1/kassa.js'
const FOR_EVER = 'public, max-age=31536000, immutable'
const FOR_NOW = 'public, max-age=300, stale-while-revalidate=86400'

export function widgetFiles(ctx: Pick<Context, 'log'>, builds = readWidgetBuilds()): RequestHandler {
  const current = builds.find(({ version }) => version === VERSION)
  if (!current)
    ctx.log.warn({ version: VERSION }, 'The widget is not built, and pages get no button: npm run build')
  const router = express.Router()
  for (const build of builds) router.get(`/${build.version}/kassa.js`, sendScript(build, FOR_EVER))
  if (current) router.get(ALIAS, sendScript(current, FOR_NOW))
  router.get('/versions.json', (_request, response) => {
    const versions = builds.map(({ version, path, integrity, bytes }) => ({
      version,
      path,
      integrity,
      bytes,
    }))
    openToAll(response, FOR_NOW)
    response.json({ current: current?.version ?? null, versions })
  })
  router.all(
    [...builds.map(({ version }) => `/${version}/kassa.js`), ALIAS, '/versions.json'],
    (request, response, next) => {
      if (request.method === 'GET' || request.method === 'HEAD')
        return next(new AppError('not_found', { hint: 'The widget is not built: npm run build' }))
      response.setHeader('Allow', 'GET, HEAD')
      next(new AppError('method_not_allowed', { hint: 'It takes GET, HEAD.' }))
    },
  )
  return router
}

function sendScript({ integrity, bodies }: WidgetBuild, cacheControl: string): RequestHandler {
  return (request, response) => {
    // Our order, not the browser's: it lists gzip first and means nothing by it.
    const coding = (['br', 'gzip'] as const).find((each) => request.acceptsEncodings(each)) ?? 'identity'
    openToAll(response, cacheControl)
    response.vary('Accept-Encoding')
    if (coding !== 'identity') response.setHeader('Content-Encoding', coding)
    // One for each coding, as the bytes differ; Express answers 304 by it.
    response.setHeader('ETag', `"${integrity.slice(-32)}-${coding}"`)
    response.setHeader('Content-Type', 'text/javascript; charset=utf-8')
    response.send(bodies[coding])
  }
}

/** Shops load it from other origins, also with an integrity hash, and may measure how long that takes. */
function openToAll(response: Response, cacheControl: string): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  response.setHeader('Timing-Allow-Origin', '*')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Cache-Control', cacheControl)
}
