/** Our own cookies in a buyer's browser. `pages/buyer-cookies.ts` has what they are for. */
import type { Response } from 'express'
import type { Context } from '../../context.ts'
import type { BuyerCookie } from '../../pages/page-endpoint.ts'

/** Sets cookies of ours. */
export function setCookies(ctx: Context, response: Response, cookies: readonly BuyerCookie[]): void {
  for (const { name, value, seconds } of cookies)
    response.cookie(name, value, { ...cookieOptions(ctx), maxAge: seconds * 1000 })
}

export const cookieOptions = ({ baseUrl }: Context) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: baseUrl.startsWith('https:') }) as const

const COOKIES_MAX = 100

/** Returns the cookies whose names are ours. */
export function readCookies(header = ''): Record<string, string> {
  const pairs = [...header.matchAll(/(?:^|; ?)(kassa_[a-z0-9_]{1,40})=([\w.-]{1,100})(?=;|$)/g)]
  return Object.fromEntries(pairs.slice(0, COOKIES_MAX).map(([, name, value]) => [name, value]))
}
