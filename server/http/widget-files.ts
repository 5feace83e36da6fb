/**
 * Serves the widget to pages of any origin: each version at a permanent address, the newest version at an alias, and the list of
 * versions with their hashes.
 */

import express, { type RequestHandler, type Response } from 'express'
import type { WidgetBuild } from '../channels/widget-build.ts'
import type { WidgetReleases } from '../channels/widget-release.ts'
import { AppError } from '../errors.ts'
import { translate } from '../messages/translate.ts'
import { VERSION } from '../version.ts'
import { codingFor } from './compress.ts'

const ALIAS = '/v1/kassa.js'
const SCRIPT = '/:version/kassa.js'
const TEXTS = '/v1/:language.json'
const LIST = '/versions.json'
const FOR_EVER = 'public, max-age=31536000, immutable'
const FOR_NOW = 'public, max-age=300, stale-while-revalidate=86400'

export function widgetFiles(releases: WidgetReleases): RequestHandler {
  const router = express.Router()
  const { newest } = releases
  router.get(ALIAS, (request, response) => {
    if (!newest)
      throw new AppError('not_found', {
        hint: translate('en', 'errors.widget.none'),
      })
    sendScript(request, response, newest, FOR_NOW)
  })
  router.get(SCRIPT, async (request, response, next) => {
    const build = await releases.find(String(request.params.version))
    if (build) sendScript(request, response, build, FOR_EVER)
    else next('router')
  })
  router.get(TEXTS, (request, response, next) => {
    const texts = releases.texts.get(String(request.params.language))
    if (!texts) return next('router')
    openToAll(response, FOR_NOW)
    response.json(texts)
  })
  router.get(LIST, (_request, response) => {
    const versions = releases
      .list()
      .map(({ version, path, integrity, bytes }) => ({ version, path, integrity, bytes }))
    openToAll(response, FOR_NOW)
    const isKept = versions.some(({ version }) => version === VERSION)
    response.json({ current: isKept ? VERSION : null, versions })
  })
  router.all([SCRIPT, TEXTS, LIST], (_request, response) => {
    response.setHeader('Allow', 'GET, HEAD')
    throw new AppError('method_not_allowed', {
      hint: translate('en', 'errors.method.use', { methods: 'GET, HEAD' }),
    })
  })
  return router
}

function sendScript(
  request: express.Request,
  response: Response,
  { integrity, bodies }: WidgetBuild,
  cacheControl: string,
): void {
  const coding = codingFor(request) ?? 'identity'
  openToAll(response, cacheControl)
  response.vary('Accept-Encoding')
  if (coding !== 'identity') response.setHeader('Content-Encoding', coding)
  // Each coding has its own ETag, because the bytes differ. Express uses it to respond 304.
  response.setHeader('ETag', `"${integrity.slice(-32)}-${coding}"`)
  response.setHeader('Content-Type', 'text/javascript; charset=utf-8')
  response.send(bodies[coding])
}

/** Shops load the script from other origins, some with an integrity hash, and may measure the loading time. */
function openToAll(response: Response, cacheControl: string): void {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
  response.setHeader('Timing-Allow-Origin', '*')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Cache-Control', cacheControl)
}
