/** Headers that may be sent only once. Node joins repeated headers or drops them, so the raw list is counted. */

import type { Request } from 'express'
import { AppError } from '../errors.ts'
import { say } from '../messages/say.ts'

/** `name` in lower case. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === name).length
}

/** Values that are often sent in place of a token. No token begins like them. */
const NO_TOKENS = [
  [/^Bearer\s+["']/i, 'errors.token.quoted'],
  [/^Bearer\s+[$<{[]/i, 'errors.token.placeholder'],
  [/^Bearer\s+kpk_/i, 'errors.token.publicKey'],
  [/^Bearer\s+whsec_/i, 'errors.token.webhookSecret'],
] as const

/**
 * Rejects two Authorization headers, because a proxy may have checked the other one, and what is certainly no token.
 * @throws AppError invalid_token
 */
export function readAuthorization(request: Request): string | undefined {
  if (countHeader(request.rawHeaders, 'authorization') > 1)
    throw new AppError('invalid_token', { hint: say('en', 'errors.authorization.once') })
  const { authorization } = request.headers
  const [, hint] = NO_TOKENS.find(([pattern]) => pattern.test(authorization ?? '')) ?? []
  if (hint) throw new AppError('invalid_token', { hint: say('en', hint) })
  return authorization
}
