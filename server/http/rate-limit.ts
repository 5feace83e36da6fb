/**
 * Limits how often each caller may call: the table of buckets, and the response if a bucket is empty. Also makes a request of the sandbox
 * wait while the live world is busy.
 * The headers are those of draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy: "write";q=100;w=4` (a quota of
 * 100, refilled within 4 seconds) and `RateLimit: "write";r=99;t=1` (99 left, full again in 1 second).
 */
import type { Response } from 'express'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { takeFairly } from '../limits/fair-share.ts'
import { type Caller, LIMITED, type Limited } from '../limits/limited.ts'
import type { LimitName } from '../limits/settings.ts'
import type { Limit, Taken } from '../limits/token-bucket.ts'
import { translate } from '../messages/translate.ts'

/** The key of a caller can be any text until it is checked. No valid key is longer than this, so longer texts are cut off. */
const SUBJECT_MAX_CHARS = 120

/** Takes the request's permits and tells the caller how many are left. @throws AppError rate_limited */
export async function takePermits(
  ctx: Pick<Context, 'config' | 'buckets'>,
  response: Response,
  limited: Limited,
  caller: Caller,
): Promise<void> {
  const limits = ctx.config.rateLimits
  if (!limits) return
  for (const { name, per } of LIMITED[limited]) {
    const subject = subjectOf(caller, per)
    const taken =
      name === 'widget_key'
        ? await takeFairly(ctx.buckets, limits, { key: subject, network: subjectOf(caller, ['network']) })
        : await ctx.buckets.take(`${name} ${subject}`, limits[name])
    announce(response, name, limits[name], taken)
    if (taken.waitMs > 0)
      throw new AppError('rate_limited', {
        retryAfterSeconds: Math.ceil(taken.waitMs / 1_000),
        about: { limit: name },
      })
  }
}

/** Takes nothing. @throws AppError rate_limited if a bucket has no permit left */
export async function expectPermits(
  { config: { rateLimits }, buckets }: Pick<Context, 'config' | 'buckets'>,
  limited: Limited,
  caller: Caller,
): Promise<void> {
  if (!rateLimits) return
  for (const { name, per } of LIMITED[limited]) {
    const limit = rateLimits[name]
    const { remaining } = await buckets.take(`${name} ${subjectOf(caller, per)}`, limit, 0)
    if (remaining === 0)
      throw new AppError('rate_limited', {
        retryAfterSeconds: Math.ceil(1 / limit.perSecond),
        about: { limit: name },
      })
  }
}

function subjectOf(caller: Caller, per: readonly (keyof Caller)[]): string {
  return per.map((each) => caller[each]?.slice(0, SUBJECT_MAX_CHARS) ?? '').join(' ')
}

/** Adds a limit to the headers. Some requests are counted in two steps. */
function announce(response: Response, name: LimitName, limit: Limit, { remaining, fullInMs }: Taken): void {
  const policy = `"${name}";q=${limit.burst};w=${Math.ceil(limit.burst / limit.perSecond)}`
  const state = `"${name}";r=${remaining};t=${Math.ceil(fullInMs / 1_000)}`
  for (const [header, value] of [
    ['RateLimit-Policy', policy],
    ['RateLimit', state],
  ] as const) {
    const before = response.getHeader(header)
    response.setHeader(header, before === undefined ? value : `${before}, ${value}`)
  }
}

const RETRY_AFTER_SECONDS = 3

/**
 * Waits until a checked request may start. In the sandbox, beside a busy live world, requests wait for each other. `caller`: requests
 * of the same caller wait in one queue. Returns the function that ends the request. @throws AppError rate_limited if too many wait
 */
export async function enterWorld(
  { share }: Context,
  response: Response,
  caller: string,
): Promise<() => void> {
  const leave = await share.enter(caller, () => response.destroyed)
  if (!leave)
    throw new AppError('rate_limited', {
      message: translate('en', 'errors.sandbox.busy'),
      hint: translate('en', 'errors.sandbox.busyHint'),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      about: { limit: 'sandbox share' },
    })
  return leave
}
