/**
 * Sets the CORS headers of the widget's endpoint. An origin that an active installation lists is allowed by name. Any other origin
 * gets no CORS header. No other endpoint has CORS headers.
 */
import type { RequestHandler } from 'express'
import type { Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { isOriginKnown } from '../merchants/installation.ts'
import { listWorlds, mainWorld } from '../worlds.ts'
import { callerOf } from './caller.ts'
import { takePermits } from './rate-limit.ts'
import { logRefusal } from './refusal-log.ts'
import { replyError } from './reply-error.ts'

const PREFLIGHT_SECONDS = 7_200
const EXPOSED = 'X-Idempotent-Replay, Retry-After, X-Request-Id'

export function widgetCors(worlds: Worlds): RequestHandler {
  return async (request, response, next) => {
    response.vary('Origin')
    const { origin } = request.headers
    const ctx = mainWorld(worlds)
    try {
      // Each look-up of an origin can cost a query, and the caller chooses the origin.
      await takePermits(ctx, response, 'page', callerOf(request))
    } catch (error) {
      return replyError(ctx, request, response, error)
    }
    const known = origin !== undefined && (await isKnown(worlds, origin))
    if (origin !== undefined && known) {
      response.setHeader('Access-Control-Allow-Origin', origin)
      response.setHeader('Access-Control-Expose-Headers', EXPOSED)
    }
    if (request.method !== 'OPTIONS') return next()
    if (known === false && origin !== undefined) {
      // After this response a browser does not send the request itself, which would be logged.
      const about = { endpoint: request.baseUrl }
      logRefusal(ctx, request, new AppError('origin_not_trusted', { about }))
    }
    if (known) {
      response.setHeader('Access-Control-Allow-Methods', 'POST')
      response.setHeader('Access-Control-Allow-Headers', 'Content-Type')
      response.setHeader('Access-Control-Max-Age', String(PREFLIGHT_SECONDS))
    }
    response.status(204).end()
  }
}

/** Returns null if the database cannot be reached. The request itself then fails with the right error. */
async function isKnown(worlds: Worlds, origin: string): Promise<boolean | null> {
  const known = await Promise.all(
    listWorlds(worlds).map((ctx) => isOriginKnown(ctx, origin).catch(() => null)),
  )
  return known.includes(true) || (known.includes(null) ? null : false)
}
