/** The header Kassa-If-Refunded-Minor: a refund is made only if this much was refunded before. */

import type { Request } from 'express'
import { AMOUNT_MINOR_MAX, type HEADER_FIELDS } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { say } from '../messages/say.ts'

export const IF_REFUNDED = 'Kassa-If-Refunded-Minor' satisfies keyof typeof HEADER_FIELDS

/** Returns undefined without the header. Node joins repeated headers, so the raw list is counted. @throws AppError validation_failed */
export function readIfRefunded({ rawHeaders }: Request): number | undefined {
  const given = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === IF_REFUNDED.toLowerCase(),
  )
  if (given.length === 0) return undefined
  const [text = ''] = given
  const isRight = given.length === 1 && /^(0|[1-9]\d{0,12})$/.test(text) && Number(text) <= AMOUNT_MINOR_MAX
  if (isRight) return Number(text)
  throw new AppError('validation_failed', {
    errors: { [IF_REFUNDED]: say('en', 'errors.ifRefunded.form', { max: String(AMOUNT_MINOR_MAX) }) },
  })
}
