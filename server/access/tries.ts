/**
 * How often somebody may try to sign in. An address has one count. For each person there is one that all strangers share, and one for
 * each browser that has signed in as this person before: see devices.ts.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'

/** @throws AppError rate_limited */
export async function takeTry(
  { config: { rateLimits }, buckets }: Pick<Context, 'config' | 'buckets'>,
  name: 'sign_in' | 'sign_in_user',
  subject: string,
): Promise<void> {
  if (!rateLimits) return
  const { waitMs } = await buckets.take(`${name} ${subject}`, rateLimits[name])
  if (waitMs > 0)
    throw new AppError('rate_limited', {
      retryAfterSeconds: Math.ceil(waitMs / 1_000),
      about: { limit: name },
    })
}
