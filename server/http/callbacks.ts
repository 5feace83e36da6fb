/** Serves the callbacks of providers. They are not part of the documented API, because each provider has its own protocol. */

import type { Request, RequestHandler, Response } from 'express'
import type { Context, Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { ID_BODY } from '../id.ts'
import { cost, FREE } from '../limits/cost.ts'
import { translate } from '../messages/translate.ts'
import { takeCallback, takesCallbacks } from '../payments/callbacks/callback.ts'
import { findFallbackReply, isKnownCaller } from '../payments/callbacks/unheard.ts'
import { mainWorld, worldNamedBy } from '../worlds.ts'
import { callerOf } from './caller.ts'
import { readBytes } from './json/body.ts'
import { expectPermits, takePermits } from './rate-limit.ts'
import { logCallback } from './refusal-log.ts'
import { replyError, toAppError } from './reply-error.ts'

const BYTES_MAX = 256 * 1024
/** All callbacks that are being read or handled may have this many bytes together, and those from one address a quarter of them. */
const BYTES_TOGETHER_MAX = 16 * 1024 * 1024
const BYTES_OF_ADDRESS_MAX = BYTES_TOGETHER_MAX / 4
/** A provider sends the callback again after this time at the earliest. */
const RETRY_SECONDS = 5

const PATH = '/callbacks/:account'
const CALLED = new RegExp(`^/callbacks/(acc_(?:test_)?${ID_BODY})$`)

/** Some providers call back with GET. */
export const CALLBACKS = [
  { method: 'get', path: PATH, stranger: { body: 0, once: cost(2, { lines: 1 }), flood: cost(1) } },
  {
    method: 'post',
    path: PATH,
    stranger: {
      body: BYTES_MAX,
      bodyOfUnknown: 0,
      once: cost(3, { provider: 1, lines: 1, rows: 1 }),
      flood: FREE,
    },
  },
] as const

/** Returns which account a callback to this path is for, as far as the path says it. */
export function findCalled(worlds: Worlds, path: string): { ctx: Context; accountId: string } | null {
  const [, accountId] = CALLED.exec(path) ?? []
  const ctx = accountId === undefined ? null : worldNamedBy(worlds, accountId)
  return accountId === undefined || !ctx ? null : { ctx, accountId }
}

export function serveCallback(worlds: Worlds): RequestHandler {
  const room = openRoom()
  return async (request, response) => {
    const accountId = String(request.params.account)
    const named = findCalled(worlds, request.path)?.ctx ?? null
    const ctx = named ?? mainWorld(worlds)
    response.locals.world = ctx.world
    let leave = () => {}
    try {
      const caller = { ...callerOf(request), account: accountId }
      const isKnown = named !== null && isKnownCaller(ctx, accountId, request.ip ?? '')
      if (!isKnown) await takePermits(ctx, response, 'callback', caller)
      // Check the account before the body is read, so that a stranger cannot fill the memory with bodies for unknown accounts.
      if (!named || !(await takesCallbacks(ctx, accountId))) throw new AppError('not_found')
      if (!isKnown) {
        await expectPermits(ctx, 'callback_rejected', caller)
        leave = room.take(request)
      }
      const taken = await takeCallback(ctx, accountId, {
        method: request.method === 'GET' ? 'GET' : 'POST',
        path: request.path,
        query: asTexts(request.query),
        headers: asTexts(request.headers),
        body: await readSigned(request),
      })
      if (!taken) throw new AppError('not_found')
      const { reply, problem } = taken
      if (problem) logCallback(ctx, request, { accountId, ...problem })
      if (problem && !problem.isGenuine && !isKnown)
        await takePermits(ctx, response, 'callback_rejected', caller)
      send(response, reply)
    } catch (error) {
      refuseCallback(ctx, request, response, { accountId, error })
    } finally {
      leave()
    }
  }
}

/** Replies as the account's protocol wants it, so that the provider knows that nothing was stored. */
export function refuseCallback(
  ctx: Context,
  request: Request,
  response: Response,
  { accountId, error }: { accountId: string; error: unknown },
): void {
  const unheard = findFallbackReply(ctx, accountId)
  if (!unheard || response.headersSent) {
    replyError(ctx, request, response, error)
    return
  }
  const { details } = toAppError(ctx, request, error)
  if (details.retryAfterSeconds !== undefined)
    response.setHeader('Retry-After', String(details.retryAfterSeconds))
  send(response, unheard)
}

function send(
  response: Response,
  { status, headers = {}, body = '' }: { status: number; headers?: Record<string, string>; body?: string },
): void {
  response.status(status).type('text').set(headers).send(body)
}

/** The memory for the bodies of callbacks. */
function openRoom() {
  const heldOf = new Map<string, number>()
  let heldTogether = 0
  return {
    /** Reserves memory for the body. Returns the function that gives it back. @throws AppError rate_limited if there is none */
    take(request: Request): () => void {
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers
      const bytes = coding === undefined ? Math.min(Number(length ?? 0), BYTES_MAX) : BYTES_MAX
      const { address } = callerOf(request)
      const ofAddress = (heldOf.get(address) ?? 0) + bytes
      if (heldTogether + bytes > BYTES_TOGETHER_MAX || ofAddress > BYTES_OF_ADDRESS_MAX)
        throw new AppError('rate_limited', {
          message: translate('en', 'errors.callback.busy'),
          retryAfterSeconds: RETRY_SECONDS,
          about: { limit: 'callback_bytes' },
        })
      heldTogether += bytes
      heldOf.set(address, ofAddress)
      return () => {
        heldTogether -= bytes
        const left = (heldOf.get(address) ?? 0) - bytes
        if (left > 0) heldOf.set(address, left)
        else heldOf.delete(address)
      }
    },
  }
}

function asTexts(given: object): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
}

/** Returns the raw bytes, because providers sign the raw bytes. @throws AppError */
async function readSigned(request: Request): Promise<Buffer> {
  const body = await readBytes(request, BYTES_MAX)
  if (body === 'too_large')
    throw new AppError('payload_too_large', { message: translate('en', 'errors.callback.tooLarge') })
  if (typeof body === 'string') throw new AppError('malformed_request')
  return body
}
