/** The page for an unknown address, for people. Programs get the contract's error as JSON. */

import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { translate } from '../../messages/translate.ts'
import { messagePage } from '../../pages/message-page.ts'
import { findNextStep } from '../../pages/next-step.ts'
import { callerOf } from '../caller.ts'
import { takePermits } from '../rate-limit.ts'
import { readLocale } from './serve-page.ts'

/** True for a browser that opens a page. The API's addresses answer JSON to everybody. */
export function wantsPage({ method, path, headers }: Request): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && !/^\/(?:v1|api)(?:\/|$)/i.test(path) && /\btext\/html\b/.test(headers.accept ?? '')
}

/** Addresses of other payment services, and ours as people mistype them, with what leads on. The first that fits counts. */
const MISTAKEN = [
  [/^(\/v1)?\/(payments\/[^/]+\/refund|refunds?)\/?$/i, 'errors.address.ofRefund'],
  [/^\/v1\/(payments|payment-sessions)\/[^/]+\/?$/i, 'errors.address.ofPayment'],
  [/^\/(payments?|payment-sessions|payment-links|operations|capabilities)(\/|$)/i, 'errors.address.version'],
  [/^\/(v1|api)(\/|$)/i, 'errors.address.list'],
] as const

/** Returns what a program is told about an unknown address. */
export function missingAddress({ path }: Request): AppError {
  const [, hint] = MISTAKEN.find(([pattern]) => pattern.test(path)) ?? []
  return new AppError('not_found', hint ? { hint: translate('en', hint) } : {})
}

export async function showMissing(ctx: Context, request: Request, response: Response): Promise<void> {
  const { locale, localeLinks } = readLocale(request)
  response.setHeader('Cache-Control', 'no-store')
  response.vary('Accept')
  const { referer: referrer } = request.headers
  const html = messagePage({
    locale,
    mode: ctx.world,
    kind: 'no_page',
    localeLinks,
    ...((await mayLookUp(ctx, request, response)) &&
      (await findNextStep(ctx, 'no_page', { locale, referrer }))),
  })
  response.status(404).type('html').send(html)
}

/** Unknown addresses have no rate limit of their own. A caller above the limit of pages gets the page without the shop. */
async function mayLookUp(ctx: Context, request: Request, response: Response): Promise<boolean> {
  if (request.headers.referer === undefined) return false
  return takePermits(ctx, response, 'page', callerOf(request)).then(
    () => true,
    () => false,
  )
}
