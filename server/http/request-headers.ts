/** The request headers that may be sent only once. Node joins repeated headers or drops them, so the raw list is counted. */
import type { Request } from 'express'
import {
  AMOUNT_MINOR_MAX,
  type HEADER_FIELDS,
  IDEMPOTENCY_KEY_MAX_CHARS,
  IDEMPOTENCY_KEY_PATTERN,
} from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { translate } from '../messages/translate.ts'

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
    throw new AppError('invalid_token', { hint: translate('en', 'errors.authorization.once') })
  const { authorization } = request.headers
  const [, hint] = NO_TOKENS.find(([pattern]) => pattern.test(authorization ?? '')) ?? []
  if (hint) throw new AppError('invalid_token', { hint: translate('en', hint) })
  return authorization
}

const KEY_PATTERN = new RegExp(IDEMPOTENCY_KEY_PATTERN)

/**
 * Reads the Idempotency-Key header: printable ASCII, sent once.
 * @throws AppError idempotency_key_required, validation_failed
 */
export function readKey(request: Request, need: 'optional' | 'required'): string | undefined {
  const given = countHeader(request.rawHeaders, 'idempotency-key')
  const key = request.headers['idempotency-key']
  if (given === 0 && need === 'optional') return undefined
  if (given !== 1 || typeof key !== 'string' || key === '')
    throw new AppError('idempotency_key_required', {
      errors: { 'Idempotency-Key': translate('en', 'errors.idempotencyKey.once') },
    })
  if (key.length > IDEMPOTENCY_KEY_MAX_CHARS || !KEY_PATTERN.test(key))
    throw new AppError('validation_failed', {
      errors: {
        'Idempotency-Key': translate('en', 'errors.idempotencyKey.form', {
          max: IDEMPOTENCY_KEY_MAX_CHARS,
        }),
      },
    })
  return key
}

const IF_REFUNDED = 'Kassa-If-Refunded-Minor' satisfies keyof typeof HEADER_FIELDS

/**
 * Reads the header Kassa-If-Refunded-Minor: a refund is made only if this much was refunded before. Returns undefined without it.
 * @throws AppError validation_failed
 */
export function readIfRefunded({ rawHeaders }: Request): number | undefined {
  const given = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === IF_REFUNDED.toLowerCase(),
  )
  if (given.length === 0) return undefined
  const [text = ''] = given
  const isRight = given.length === 1 && /^(0|[1-9]\d{0,12})$/.test(text) && Number(text) <= AMOUNT_MINOR_MAX
  if (isRight) return Number(text)
  throw new AppError('validation_failed', {
    errors: { [IF_REFUNDED]: translate('en', 'errors.ifRefunded.form', { max: String(AMOUNT_MINOR_MAX) }) },
  })
}
