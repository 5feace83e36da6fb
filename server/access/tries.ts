/**
 * How often somebody may try to sign in. An address has one count, and so has its network. For each person there is one that all
 * strangers share, and one for each browser that has signed in as this person before: see devices.ts.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'

/**
 * Who sends a form. `network`: the IPv4 /24 or the IPv6 /48 of the address. `gone`: is aborted when the browser does not wait for the
 * answer any more.
 */
export type FormSender = { address: string; network: string; gone: AbortSignal }

type CountingContext = Pick<Context, 'config' | 'buckets'>

/** @throws AppError rate_limited */
export async function takeTry(
  { config: { rateLimits }, buckets }: CountingContext,
  name: 'sign_in' | 'sign_in_network' | 'sign_in_passkey' | 'sign_in_user',
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

/** Counts a try of a stranger. @throws AppError rate_limited */
export async function takeStrangersTry(
  ctx: CountingContext,
  { address, network }: Pick<FormSender, 'address' | 'network'>,
): Promise<void> {
  await takeTry(ctx, 'sign_in', address)
  await takeTry(ctx, 'sign_in_network', network)
}
