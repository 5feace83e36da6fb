import { AppError } from '../errors.ts'

/** Parses an absolute http(s) address and returns its normalised form. @throws AppError return_url_not_allowed */
export function absoluteReturnUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url.href
  throw new AppError('return_url_not_allowed', {
    errors: { returnUrl: 'must be an absolute http(s) address' },
  })
}
