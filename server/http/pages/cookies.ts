/** Our own cookies in a buyer's browser. `pages/buyer-cookies.ts` has what they are for. */
import type { Response } from 'express'
import type { Context } from '../../context.ts'
import type { BuyerCookie } from '../../pages/page-endpoint.ts'

/** With this prefix only this host name can set a cookie, and no other one of the same domain. Browsers accept it only over https. */
const HOST_ONLY = '__Host-'

/** Sets a cookie of ours. Without `seconds` it lasts until the browser is closed. */
export function setCookie(
  { baseUrl }: Context,
  response: Response,
  { name, value, seconds }: Omit<BuyerCookie, 'seconds'> & Partial<BuyerCookie>,
): void {
  const secure = baseUrl.startsWith('https:')
  const age = seconds === undefined ? {} : { maxAge: seconds * 1000 }
  const options = { httpOnly: true, sameSite: 'lax', path: '/', secure, ...age } as const
  response.cookie(secure ? HOST_ONLY + name : name, value, options)
}

const COOKIES_MAX = 100

/** Returns the cookies whose names are ours. Over http, and from earlier versions, they have no prefix. */
export function readCookies(header = ''): Record<string, string> {
  const found = header.matchAll(/(?:^|; ?)(__Host-)?(kassa_[a-z0-9_]{1,40})=([\w.-]{1,100})(?=;|$)/g)
  const read: Record<string, string> = {}
  for (const [, prefix, name = '', value = ''] of [...found].slice(0, COOKIES_MAX))
    if (prefix || !(name in read)) read[name] = value
  return read
}
