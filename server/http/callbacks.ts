/** Where providers tell us that something has happened. Not of the documented API: each provider has its own words. */
import express, { type Request, type RequestHandler, type Response } from 'express'
import { mainWorld, type Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { type CallbackOutcome, takeCallback } from '../payments/callback.ts'
import { addressOf, takeTokens } from './rate-limit.ts'
import { replyError } from './reply-error.ts'

const BYTES_MAX = 16 * 1024

export const CALLBACKS = { method: 'post', path: '/callbacks/:world/:route' } as const

/** A provider that gets anything but 2xx tells us again. */
const STATUSES: Record<CallbackOutcome, number> = { done: 200, noted: 202, unknown: 404, forged: 403 }

const readRaw = express.raw({ limit: BYTES_MAX, type: () => true, inflate: false })

export function serveCallback(worlds: Worlds): RequestHandler {
  return async (request, response) => {
    const named = worldOf(worlds, String(request.params.world))
    const ctx = named ?? mainWorld(worlds)
    try {
      await takeTokens(ctx, response, 'callback', { address: addressOf(request) })
      if (!named) throw new AppError('not_found')
      const body = await readBytes(request, response)
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const outcome = await takeCallback(ctx, String(request.params.route), { headers, body })
      response.status(STATUSES[outcome]).type('text').send(outcome)
    } catch (error) {
      replyError(ctx, request, response, error)
    }
  }
}

function worldOf(worlds: Worlds, name: string) {
  if (name === 'sandbox') return worlds.sandbox
  return name === 'live' ? worlds.live : undefined
}

/** The very bytes: they are what was signed. */
function readBytes(request: Request, response: Response): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  readRaw(request, response, (failure: unknown) => {
    if (failure) return reject(asCallbackError(failure))
    resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
  })
  return promise
}

function asCallbackError(failure: unknown): AppError {
  return (failure as { status?: number }).status === 413
    ? new AppError('payload_too_large', { message: 'A callback has at most 16 KB.' })
    : new AppError('malformed_request')
}
