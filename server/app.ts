/** Assembles the Express app: headers, limits, endpoints, pages and error replies. It contains no logic. */

import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import type { WidgetReleases } from './channels/widget-release.ts'
import type { Context, Worlds } from './context.ts'
import type { DemoCredentials } from './demo/seed.ts'
import { demoShop } from './demo/shop.ts'
import { AppError } from './errors.ts'
import { accessLog } from './http/access-log.ts'
import { CALLBACKS, serveCallback } from './http/callbacks.ts'
import { compressTexts } from './http/compress.ts'
import { widgetCors } from './http/cors.ts'
import { serveDocs, serveOpenApi } from './http/docs/serve.ts'
import { ENDPOINTS } from './http/endpoints/index.ts'
import { brandFiles } from './http/pages/brand-files.ts'
import { missingAddress, showMissing, wantsPage } from './http/pages/missing.ts'
import { servePage, worldOfPage } from './http/pages/serve-page.ts'
import { replyError } from './http/reply-error.ts'
import { shareRequests } from './http/requests-at-once.ts'
import {
  documentHeaders,
  installHeaders,
  noStore,
  pageHeaders,
  shopHeaders,
  strictHeaders,
} from './http/security-headers.ts'
import { serveSimulator } from './http/simulator-api.ts'
import { publicFiles } from './http/static-files.ts'
import { together } from './http/together.ts'
import { widgetFiles } from './http/widget-files.ts'
import { newSharedId } from './id.ts'
import { translate } from './messages/translate.ts'
import { PAGES } from './pages/index.ts'
import { answerProbe, PROBE_PATHS } from './probes.ts'
import { SANDBOX_PAGES } from './sandbox/pages/index.ts'
import { mainWorld } from './worlds.ts'

/** Redirects for addresses that people and browsers try. */
const SIGNPOSTS = { '/': '/docs', '/favicon.ico': '/kassa.svg' }
const OPENAPI = { method: 'get', path: '/openapi.json' }

type Shown = {
  widget: WidgetReleases
  /** The credentials of the demo shop; null or undefined if there is none. */
  demo?: DemoCredentials | null
}

export function createApp(worlds: Worlds, shown: Shown): Express {
  const ctx = mainWorld(worlds)
  const app = express()
  const headersOfPages = pageHeaders((path) => worldOfPage(worlds, path))
  const notFound: RequestHandler = (request, response) =>
    wantsPage(request)
      ? headersOfPages(request, response, () => void showMissing(ctx, request, response))
      : replyError(ctx, request, response, missingAddress(request))

  setUp(app, ctx)
  const answerProbes: RequestHandler = (request, response, next) => {
    if (!answerProbe(request, response, () => ctx.readinessBlockers())) next()
  }
  // No address of this service contains a NUL, and PostgreSQL rejects NUL in texts.
  const refuseNul: RequestHandler = (request, response, next) =>
    /^[^?]*%00/.test(request.url) ? notFound(request, response, next) : next()
  app.use(
    together(
      strictHeaders,
      giveRequestId(ctx),
      answerProbes,
      accessLog(worlds),
      shareRequests(worlds),
      noStoreOfApi,
      refuseNul,
      serveFixed(worlds),
    ),
  )
  serveApi(app, worlds)
  serveFiles(app, worlds, shown, { headersOfPages, notFound })
  servePages(app, worlds, shown)
  app.use(notFound)
  app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    const known = asRequestError(error)
    const isMissing = known instanceof AppError && known.code === 'not_found' && !response.headersSent
    return isMissing ? notFound(request, response, next) : replyError(ctx, request, response, known)
  })
  return app
}

/** Sets how Express reads requests and writes responses. */
function setUp(app: Express, ctx: Context): void {
  app.disable('x-powered-by')
  app.set('etag', false)
  app.set('query parser', 'simple')
  app.set('trust proxy', ctx.config.trustProxy)
  compressTexts(app)
}

function giveRequestId({ clock }: Context): RequestHandler {
  return (_request, response, next) => {
    response.locals.requestId = newSharedId('req', clock.now())
    response.setHeader('X-Request-Id', response.locals.requestId)
    next()
  }
}

const noStoreOfApi: RequestHandler = (request, response, next) =>
  /^\/(?:v1|api)(?:\/|$)/i.test(request.path) ? noStore(request, response, next) : next()

/**
 * Finds the endpoints at fixed paths. Express would try one route after the other. The widget's endpoint is left to it, because its
 * CORS headers come first.
 */
function serveFixed(worlds: Worlds): RequestHandler {
  const fixed = ENDPOINTS.filter(({ path, auth }) => !path.includes(':') && auth.kind !== 'widget')
  const known = new Map(
    fixed.map(({ method, path, run }) => [`${method.toUpperCase()} ${path}`, { path, answer: run(worlds) }]),
  )
  return (request, response, next) => {
    const endpoint = known.get(`${request.method} ${request.path}`)
    if (!endpoint) return next()
    request.route = { path: endpoint.path }
    // Express handles a promise that fails for its own routes alone.
    return Promise.resolve(endpoint.answer(request, response, next)).catch(next)
  }
}

function serveApi(app: Express, worlds: Worlds): void {
  const ctx = mainWorld(worlds)
  app.use('/api/widget/checkout', widgetCors(worlds))
  for (const endpoint of ENDPOINTS) app[endpoint.method](endpoint.path, endpoint.run(worlds))
  app.get(OPENAPI.path, serveOpenApi(ctx))
  const callback = serveCallback(worlds)
  for (const { method, path } of CALLBACKS) app[method](path, callback)
  const probes = PROBE_PATHS.map((path) => ({ method: 'get', path }))
  refuseOtherMethods(app, ctx, [...ENDPOINTS, OPENAPI, ...CALLBACKS, ...probes])
  for (const [path, answer] of Object.entries(worlds.sandbox.sandbox?.apis ?? {}))
    app.use(path, serveSimulator(worlds.sandbox, answer))
}

/** Serves the files of the widget, the demo shop, the brands and `public`, and the documents. */
function serveFiles(
  app: Express,
  worlds: Worlds,
  { widget, demo }: Shown,
  { headersOfPages, notFound }: { headersOfPages: RequestHandler; notFound: RequestHandler },
): void {
  const ctx = mainWorld(worlds)
  app.use('/widget', widgetFiles(widget))
  // The shop's pages run a script, so they get headers of their own. They are served only if there is a demo shop.
  app.use(
    '/demo',
    ...(demo ? [shopHeaders, demoShop(worlds.sandbox, demo), publicFiles('demo')] : [notFound]),
  )
  app.use(headersOfPages)
  app.use(brandFiles(ctx))
  app.use('/install', installHeaders(ctx.baseUrl))
  app.use(publicFiles())
  app.use('/docs', documentHeaders, serveDocs(ctx))
}

function servePages(app: Express, worlds: Worlds, { demo }: Shown): void {
  const signposts = { ...SIGNPOSTS, ...(demo && { '/': '/demo/' }) }
  for (const [path, to] of Object.entries(signposts))
    app.get(path, (_request, response) => response.redirect(to))
  const pages = [...PAGES, ...SANDBOX_PAGES]
  for (const page of pages) app[page.method](page.path, servePage(worlds, page))
  refuseOtherMethods(app, mainWorld(worlds), pages)
}

/** Answers 405 with the allowed methods for any other method on a served path. */
function refuseOtherMethods(
  app: Express,
  ctx: Context,
  served: readonly { method: string; path: string }[],
): void {
  for (const path of new Set(served.map((each) => each.path))) {
    const methods = served.filter((each) => each.path === path).map((each) => each.method.toUpperCase())
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
    app.all(path, (request, response) => {
      response.setHeader('Allow', allow)
      replyError(
        ctx,
        request,
        response,
        new AppError('method_not_allowed', {
          hint: translate('en', 'errors.method.use', { methods: allow }),
        }),
      )
    })
  }
}

/** Translates Express's own errors: a malformed address, or a body of the demo shop that is too large. */
function asRequestError(error: unknown): unknown {
  const { status } = error as { status?: number }
  if (status === 413) return new AppError('payload_too_large')
  return status && status < 500 ? new AppError('not_found') : error
}
