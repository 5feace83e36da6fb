/**
 * Who may call how often: the table of buckets, and the answer to whoever finds one empty.
 * The headers are those of draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy: "write";q=100;w=4` (a quota of
 * 100, refilled within 4 seconds) and `RateLimit: "write";r=99;t=1` (99 left, full again in 1 second).
 */
import { isIPv6 } from 'node:net'
import type { Request, Response } from 'express'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { LimitName } from '../limits/settings.ts'

/** What a bucket is told apart by. */
type Caller = { token?: string; address?: string; key?: string }

/** The buckets of an endpoint or a page, by the name that it declares. A request takes a token of each. */
export const LIMITED = {
  none: [],
  write: [{ name: 'write', per: ['token'] }],
  lookup: [{ name: 'lookup', per: ['token'] }],
  widget: [
    { name: 'widget_address', per: ['address', 'key'] },
    { name: 'widget_key', per: ['key'] },
  ],
  page: [{ name: 'page', per: ['address'] }],
  failed_token: [{ name: 'failed_token', per: ['address'] }],
  callback: [{ name: 'callback', per: ['address'] }],
} as const satisfies Record<string, readonly { name: LimitName; per: readonly (keyof Caller)[] }[]>

export type Limited = keyof typeof LIMITED

/** Whether its callers are told apart by the public key in their body. */
export function isByKey(limited: Limited): boolean {
  return LIMITED[limited].some(({ per }) => (per as readonly string[]).includes('key'))
}

/** A caller's key is free text until it is checked; a longer one than any of ours need not be told apart. */
const SUBJECT_MAX_CHARS = 120

/** Takes the request's tokens and tells the caller how many are left. @throws AppError rate_limited */
export async function takeTokens(
  ctx: Context,
  response: Response,
  limited: Limited,
  caller: Caller,
): Promise<void> {
  const limits = ctx.config.rateLimits
  if (!limits) return
  const policies: string[] = []
  const states: string[] = []
  let waitMs = 0
  for (const { name, per } of LIMITED[limited]) {
    const limit = limits[name]
    const subject = per.map((each) => caller[each]?.slice(0, SUBJECT_MAX_CHARS) ?? '').join(' ')
    const taken = await ctx.buckets.take(`${name} ${subject}`, limit)
    policies.push(`"${name}";q=${limit.burst};w=${Math.ceil(limit.burst / limit.perSecond)}`)
    states.push(`"${name}";r=${taken.remaining};t=${Math.ceil(taken.fullInMs / 1_000)}`)
    waitMs = taken.waitMs
    if (waitMs > 0) break
  }
  if (policies.length === 0) return
  response.setHeader('RateLimit-Policy', policies.join(', '))
  response.setHeader('RateLimit', states.join(', '))
  if (waitMs > 0) throw new AppError('rate_limited', { retryAfterSeconds: Math.ceil(waitMs / 1_000) })
}

/** The caller's address, through the proxies that TRUST_PROXY names. Of IPv6 the /64: a household has all of one. */
export function addressOf(request: Request): string {
  const address = request.ip ?? ''
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  const last = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array(Math.max(0, 8 - groups.length - last.length)).fill('0')
  return `${[...groups, ...zeros, ...last].slice(0, 4).join(':')}::/64`
}
