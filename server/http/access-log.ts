/**
 * Logs one line for each request at level debug: its id, the endpoint and the status. It never logs the address, a header or a
 * body as they were sent, because a caller chooses them.
 */
import type { Request, RequestHandler } from 'express'
import type { Worlds } from '../context.ts'
import type { World } from '../contract/health.ts'
import { mainWorld } from '../worlds.ts'

/** Each line has the world of the request. A request without a world is logged under the main world. */
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
