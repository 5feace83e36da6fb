/** The console's cookies. Over https only this host name can set and read them. */
import type { Request, Response } from 'express'

const isHttps = (origin: string) => origin.startsWith('https:')
const nameOf = (origin: string, name: string) => `${isHttps(origin) ? '__Host-' : ''}kassa_console_${name}`

export type Cookie = { name: string; value: string; seconds: number }

/** Deletes the cookie. */
export const gone = (name: string): Cookie => ({ name, value: '', seconds: 0 })

export function setCookie(response: Response, origin: string, { name, value, seconds }: Cookie): void {
  response.cookie(nameOf(origin, name), value, {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure: isHttps(origin),
    maxAge: seconds * 1_000,
  })
}

/** Returns the value of a cookie under its exact name: over https a cookie without the prefix may come from a sibling host. */
export function cookieOf(request: Request, origin: string, name: string): string | undefined {
  const wanted = `${nameOf(origin, name)}=`
  const found = (request.headers.cookie ?? '').split(/; ?/).find((each) => each.startsWith(wanted))
  const value = found?.slice(wanted.length)
  return value !== undefined && /^[\w.-]{1,100}$/.test(value) ? value : undefined
}
