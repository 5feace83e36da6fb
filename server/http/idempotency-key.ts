import type { Request } from 'express'
import { IDEMPOTENCY_KEY_MAX_CHARS, IDEMPOTENCY_KEY_PATTERN } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { say } from '../messages/say.ts'
import { countHeader } from './header-count.ts'

const KEY_PATTERN = new RegExp(IDEMPOTENCY_KEY_PATTERN)

/**
 * Reads the Idempotency-Key header: printable ASCII, sent once. Node joins repeated headers, so the raw list is counted.
 * @throws AppError idempotency_key_required, validation_failed
 */
export function readKey(request: Request, need: 'optional' | 'required'): string | undefined {
  const given = countHeader(request.rawHeaders, 'idempotency-key')
  const key = request.headers['idempotency-key']
  if (given === 0 && need === 'optional') return undefined
  if (given !== 1 || typeof key !== 'string' || key === '')
    throw new AppError('idempotency_key_required', {
      errors: { 'Idempotency-Key': say('en', 'errors.idempotencyKey.once') },
    })
  if (key.length > IDEMPOTENCY_KEY_MAX_CHARS || !KEY_PATTERN.test(key))
    throw new AppError('validation_failed', {
      errors: {
        'Idempotency-Key': say('en', 'errors.idempotencyKey.form', {
          max: String(IDEMPOTENCY_KEY_MAX_CHARS),
        }),
      },
    })
  return key
}
