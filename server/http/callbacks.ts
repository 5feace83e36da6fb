/** Where providers tell us that something has happened. Not of the documented API: each provider has its own words. */
import type { RequestHandler } from 'express'
import type { Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { type CallbackOutcome, takeCallback } from '../payments/callback.ts'
import { mainWorld, worldNamedBy } from '../worlds.ts'
import { rawReader } from './body.ts'
import { callerOf, takePermits } from './rate-limit.ts'
import { replyError } from './reply-error.ts'

const BYTES_MAX = 16 * 1024

export const CALLBACKS = { method: 'post', path: '/callbacks/:account' } as const

/** A provider that gets anything but 2xx tells us again. */
const STATUSES: Record<CallbackOutcome, number> = { done: 200, noted: 202, unknown: 404, forged: 403 }

const ACCOUNT_ID = /^acc_(test_)?[0-9a-z]{34}$/

/** The very bytes: they are what was signed. */
const readBytes = rawReader(BYTES_MAX)

export function serveCallback(worlds: Worlds): RequestHandler {
  return async (request, response) => {
    const accountId = String(request.params.account)
    const named = ACCOUNT_ID.test(accountId) ? worldNamedBy(worlds, accountId) : null
    const ctx = named ?? mainWorld(worlds)
    response.locals.world = ctx.world
    try {
      await takePermits(ctx, response, 'callback', callerOf(request))
      if (!named) throw new AppError('not_found')
      const body = await readBytes(request, response).catch(refuse)
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const outcome = await takeCallback(ctx, accountId, { headers, body })
      response.status(STATUSES[outcome]).type('text').send(outcome)
    } catch (error) {
      replyError(ctx, request, response, error)
    }
  }
}

function refuse({ status }: { status?: number }): never {
  if (status === 413) throw new AppError('payload_too_large', { message: 'A callback has at most 16 KB.' })
  throw new AppError('malformed_request')
}
