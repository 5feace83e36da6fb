/** Serves the callbacks of providers. They are not part of the documented API, because each provider has its own protocol. */
import type { Request, RequestHandler } from 'express'
import type { Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { takeCallback } from '../payments/callbacks/callback.ts'
import { mainWorld, worldNamedBy } from '../worlds.ts'
import { readBytes } from './body.ts'
import { callerOf } from './caller.ts'
import { takePermits } from './rate-limit.ts'
import { replyError } from './reply-error.ts'

const BYTES_MAX = 256 * 1024
const PATH = '/callbacks/:account'

/** Some providers call back with GET. */
export const CALLBACKS = [
  { method: 'get', path: PATH },
  { method: 'post', path: PATH },
] as const

const ACCOUNT_ID = /^acc_(test_)?[0-9a-z]{34}$/

export function serveCallback(worlds: Worlds): RequestHandler {
  return async (request, response) => {
    const accountId = String(request.params.account)
    const named = ACCOUNT_ID.test(accountId) ? worldNamedBy(worlds, accountId) : null
    const ctx = named ?? mainWorld(worlds)
    response.locals.world = ctx.world
    try {
      await takePermits(ctx, response, 'callback', callerOf(request))
      if (!named) throw new AppError('not_found')
      const reply = await takeCallback(ctx, accountId, {
        method: request.method === 'GET' ? 'GET' : 'POST',
        path: request.path,
        query: asTexts(request.query),
        headers: asTexts(request.headers),
        body: await readSigned(request),
      })
      if (!reply) throw new AppError('not_found')
      response
        .status(reply.status)
        .type('text')
        .set(reply.headers ?? {})
        .send(reply.body ?? '')
    } catch (error) {
      replyError(ctx, request, response, error)
    }
  }
}

function asTexts(given: object): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
}

/** Returns the raw bytes, because providers sign the raw bytes. @throws AppError */
async function readSigned(request: Request): Promise<Buffer> {
  const body = await readBytes(request, BYTES_MAX)
  if (body === 'too_large')
    throw new AppError('payload_too_large', { message: 'A callback can have at most 256 KB.' })
  if (typeof body === 'string') throw new AppError('malformed_request')
  return body
}
