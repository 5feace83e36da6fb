/** Finds out who is calling an endpoint: the merchant of a token, or a page with a pay button. */
import type { Request, Response } from 'express'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { authenticate, type Scope } from '../merchants/api-key.ts'
import { isOriginTrusted, isPossibleOrigin } from '../merchants/origin.ts'
import { type Returner, returnerOf } from '../payments/return-limits.ts'
import { callerOf, isSecure } from './caller.ts'
import { takePermits } from './rate-limit.ts'
import { readAuthorization } from './request-headers.ts'

export type Auth = { kind: 'none' } | { kind: 'bearer'; scope: Scope } | { kind: 'widget' }

/** The caller of an endpoint that needs no token. */
const NOBODY = { merchantId: '', tokenId: '', returner: null as Returner | null }

/** Returns the caller. Runs before the body is read. @throws AppError with status 401, 403 or 429 */
export async function authorize(
  ctx: Context,
  auth: Auth,
  { request, response }: { request: Request; response: Response },
): Promise<typeof NOBODY> {
  const { origin } = request.headers
  switch (auth.kind) {
    case 'none':
      return NOBODY
    case 'widget':
      // The limit counts first, because rejected calls also cost look-ups and reading.
      await takePermits(ctx, response, 'widget_caller', callerOf(request))
      if (origin === undefined) throw new AppError('origin_missing')
      if (!isPossibleOrigin(origin)) throw new AppError('origin_not_trusted')
      return NOBODY
    case 'bearer': {
      if (ctx.world === 'live' && !isSecure(request)) throw new AppError('https_required')
      const token = await authenticateWithinLimits(ctx, auth.scope, request, response)
      const { merchantId, id } = token
      const foreign = origin !== undefined && !(await isOriginTrusted(ctx, merchantId, origin))
      if (foreign) throw new AppError('origin_not_trusted', { about: { merchantId, tokenId: id } })
      return { merchantId, tokenId: id, returner: returnerOf(token) }
    }
  }
}

/**
 * Wrong tokens count against the address of the caller. Above the limit they get 429. A valid token still works then, because a
 * program that still uses an old token after a rotation must not lock out other programs with the same address.
 */
async function authenticateWithinLimits(ctx: Context, scope: Scope, request: Request, response: Response) {
  try {
    return await authenticate(ctx, readAuthorization(request), scope)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_token')
      await takePermits(ctx, response, 'failed_token', callerOf(request))
    throw error
  }
}
