/** The page for addresses that lead nowhere, for people. Programs get the contract's error as JSON. */
import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import { messagePage } from './message-page.ts'
import { readLocale } from './page-endpoint.ts'

/** True for a browser that opens a page. The API's addresses answer JSON to everybody. */
export function wantsPage({ method, path, headers }: Request): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && !/^\/(?:v1|api)(?:\/|$)/i.test(path) && /\btext\/html\b/.test(headers.accept ?? '')
}

export function showMissing(
  { world: mode }: Pick<Context, 'world'>,
  request: Request,
  response: Response,
): void {
  const { locale, localeLinks } = readLocale(request)
  response.setHeader('Cache-Control', 'no-store')
  response.vary('Accept')
  response
    .status(404)
    .type('html')
    .send(messagePage({ locale, mode, kind: 'no_page', localeLinks }))
}
