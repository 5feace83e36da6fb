/**
 * A line for each request at level debug: its id, the endpoint, the answer. Never the address as it was sent, whose path
 * and query are the caller's text, nor a header or a body.
 */
import type { Request, RequestHandler } from 'express'
import type { Worlds } from '../context.ts'
import type { World } from '../contract/health.ts'
import { mainWorld } from '../worlds.ts'

/** Each line carries the world that the request was for. A request for no world carries the deployment's own. */
export function accessLog(worlds: Worlds): RequestHandler {
  return (request, response, next) => {
    const started = performance.now()
    response.once('close', () => {
      const ms = Math.round(performance.now() - started)
      const { requestId, world } = response.locals as { requestId: string; world?: World }
      const ctx = (world && worlds[world]) ?? mainWorld(worlds)
      const answered = response.writableFinished ? { status: response.statusCode } : { cutOff: true }
      ctx.log.debug(
        { requestId, method: request.method, endpoint: endpointOf(request), ...answered, ms },
        'request',
      )
    })
    next()
  }
}

/** The path as it was declared, such as `/v1/payments/:paymentId/refunds`. */
export function endpointOf(request: Request): string | undefined {
  const { path } = (request.route ?? {}) as { path?: unknown }
  return typeof path === 'string' ? path : undefined
}
