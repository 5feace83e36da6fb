/**
 * Limits how many requests of one address are under way. Behind a proxy all connections have the proxy's address, so the limit of
 * connections cannot tell callers apart. A caller who sends bodies slowly would otherwise use up the connections of everybody.
 */
import type { RequestHandler } from 'express'
import type { Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { createAtOnce } from '../limits/turns.ts'
import { isKnownCaller } from '../payments/callbacks/unheard.ts'
import { mainWorld } from '../worlds.ts'
import { findCalled, refuseCallback } from './callbacks.ts'
import { callerOf } from './caller.ts'
import { replyError } from './reply-error.ts'

/** The number of look-ups that a merchant's server may send at once. */
const REQUESTS_MAX = 200
const RETRY_SECONDS = 1

/** Returns null where the limit of connections is enough. */
export function shareRequests(worlds: Worlds): RequestHandler | null {
  const ctx = mainWorld(worlds)
  const { rateLimits, trustProxy } = ctx.config
  if (rateLimits === null || trustProxy === false) return null
  const enter = createAtOnce(REQUESTS_MAX)
  return (request, response, next) => {
    const leave = enter(callerOf(request).address)
    if (!leave) {
      const called = findCalled(worlds, request.path)
      if (called && isKnownCaller(called.ctx, called.accountId, request.ip ?? '')) return next()
      // The body is not read, so nothing else can follow on this connection.
      response.setHeader('Connection', 'close')
      const about = { limit: 'requests_at_once' }
      const error = new AppError('rate_limited', { retryAfterSeconds: RETRY_SECONDS, about })
      return called
        ? refuseCallback(called.ctx, request, response, { ...called, error })
        : replyError(ctx, request, response, error)
    }
    response.once('close', leave)
    next()
  }
}
