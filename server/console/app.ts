/** Assembles the console's Express app: headers, files and pages. It contains no logic. */
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { systemClock, type Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { accessLog } from '../http/access-log.ts'
import { isSecure } from '../http/caller.ts'
import { compressTexts } from '../http/compress.ts'
import { brandFiles } from '../http/pages/brand-files.ts'
import { consoleHeaders } from '../http/security-headers.ts'
import { publicFiles } from '../http/static-files.ts'
import { newSharedId } from '../id.ts'
import { answerProbe } from '../probes.ts'
import { mainWorld } from '../worlds.ts'
import { CONSOLE_PAGES } from './pages.ts'
import { showFailure } from './reply.ts'
import { servePage } from './serve-page.ts'
import { STYLES_DIGEST } from './styles.ts'

/** `origin`: where people reach the console. Every other host name is led there. */
export function createConsole(worlds: Worlds, origin: string): Express {
  const ctx = mainWorld(worlds)
  const app = express()
  app.disable('x-powered-by')
  app.set('etag', false)
  app.set('query parser', 'simple')
  app.set('trust proxy', ctx.config.trustProxy)
  compressTexts(app)
  app.use(consoleHeaders(STYLES_DIGEST))
  app.use((_request, response, next) => {
    response.locals.requestId = newSharedId('req', systemClock.now())
    response.setHeader('X-Request-Id', response.locals.requestId)
    next()
  })
  app.use((request, response, next) => {
    if (!answerProbe(request, response, () => ctx.readinessBlockers())) next()
  })
  app.use(accessLog(worlds))
  app.use((request, _response, next) => {
    const isPlain = ctx.config.mode === 'live' && !isSecure(request)
    next(isPlain ? new AppError('https_required') : undefined)
  })
  app.use(leadHome(origin))
  app.get('/kassa.svg', publicFiles())
  app.use(publicFiles('console'))
  app.use(brandFiles(ctx))
  app.get('/favicon.ico', (_request, response) => response.redirect('/kassa.svg'))
  for (const page of CONSOLE_PAGES) app[page.method](page.path, servePage(worlds, page, origin))
  app.use((request, response) => void showFailure(ctx, request, response, new AppError('not_found'), origin))
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const { status } = error as { status?: number }
    const known = status && status < 500 ? new AppError('not_found') : error
    void showFailure(ctx, request, response, known, origin)
  })
  return app
}

/**
 * Passkeys and cookies belong to one host name. A page under another name, such as 127.0.0.1 for localhost, is led to the right one,
 * and a name that somebody else made point here gets nothing.
 */
function leadHome(origin: string) {
  const { host } = new URL(origin)
  return (request: Request, response: Response, next: NextFunction) => {
    if (request.headers.host === host) return next()
    if (request.method !== 'GET') return next(new AppError('not_found'))
    response.redirect(origin + (request.url.startsWith('/') ? request.url : '/'))
  }
}
