/** Who is calling an endpoint: the merchant of a token, or a page with a pay button. */
import type { Request, Response } from 'express'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { authenticate, type Scope } from '../merchants/api-key.ts'
import { isOriginTrusted, isPossibleOrigin } from '../merchants/origin.ts'
import { callerOf } from './caller.ts'
import { readAuthorization } from './header-count.ts'
import { takePermits } from './rate-limit.ts'

export type Auth = { kind: 'none' } | { kind: 'bearer'; scope: Scope } | { kind: 'widget' }

/** The caller where no token is needed. */
export const NOBODY = { merchantId: '', tokenId: '' }

/** Returns the caller before anything of the call is read. @throws AppError for the errors of 401, 403 and 429 */
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
      // Before anything is looked up or read: an address may be refused only so often.
      await takePermits(ctx, response, 'widget_caller', callerOf(request))
      if (origin === undefined) throw new AppError('origin_missing')
      if (!isPossibleOrigin(origin)) throw new AppError('origin_not_trusted')
      return NOBODY
    case 'bearer': {
      const { merchantId, id } = await authenticateWithinLimits(ctx, auth.scope, request, response)
      const foreign = origin !== undefined && !(await isOriginTrusted(ctx, merchantId, origin))
      if (foreign) throw new AppError('origin_not_trusted', { about: { merchantId, tokenId: id } })
      return { merchantId, tokenId: id }
    }
  }
}

/**
 * Wrong tokens count against their address, and past its limit they get 429. A valid token still works then: callers who share an
 * address with a program that uses an old token must not be locked out, least of all just after a rotation.
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
