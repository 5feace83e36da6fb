/** Serves the hosted pages. A failure becomes a page too, with the request's id on it. */
import type { Request, RequestHandler, Response } from 'express'
import type { Context, Worlds } from '../../context.ts'
import type { World } from '../../contract/health.ts'
import { AppError } from '../../errors.ts'
import { isBy } from '../../limits/limited.ts'
import { type MessageKind, messagePage } from '../../pages/message-page.ts'
import { findNextStep } from '../../pages/next-step.ts'
import { linksTo, type PageEndpoint, type Shown, type Visit } from '../../pages/page-endpoint.ts'
import { LOCALES, negotiateLocale } from '../../pages/words/locale.ts'
import { mainWorld, worldNamedBy } from '../../worlds.ts'
import { idsOf, noteAbout, noteVisit } from '../access-log.ts'
import { callerOf, isSecure } from '../caller.ts'
import { enterWorld, takePermits } from '../rate-limit.ts'
import { toAppError } from '../reply-error.ts'
import { readCookies, setCookie } from './cookies.ts'
import { readForm } from './form.ts'

const FORM_BYTES_MAX = 4_096

/** Returns the world of the page at a path: the one that an id or a key in the path names, else the deployment's own. */
export function worldOfPage(worlds: Worlds, path: string): World {
  if (/^\/sandbox(\/|$)/i.test(path)) return 'sandbox'
  const own = mainWorld(worlds)
  const named = path.split('/').map((part) => worldNamedBy(worlds, part) ?? own)
  return (named.find((ctx) => ctx !== own) ?? own).world
}

export function servePage(worlds: Worlds, page: PageEndpoint): RequestHandler {
  return async (request, response) => {
    response.setHeader('Cache-Control', 'no-store')
    const named = page.world
      ? worlds[page.world]
      : worldNamedBy(worlds, String(Object.values(request.params)[0] ?? ''))
    const ctx = named ?? mainWorld(worlds)
    response.locals.world = ctx.world
    const visit = readVisit(ctx, request)
    noteAbout(response, idsOf(visit.params))
    let leave = () => {}
    try {
      const { limited = 'page' } = page
      const caller = { ...callerOf(request), key: visit.params.publicKey ?? '' }
      if (isBy(limited, 'key')) await takePermits(ctx, response, 'widget_caller', caller)
      await takePermits(ctx, response, limited, caller)
      if (!named) throw new AppError('not_found')
      if (ctx.world === 'live' && !isSecure(request)) throw new AppError('https_required')
      const isForm = page.method === 'post'
      const form = isForm ? await readForm(request, page.formBytesMax ?? FORM_BYTES_MAX) : {}
      rememberLocale(ctx, response, visit)
      leave = await enterWorld(ctx, response, 'page')
      const shown = await page.handle(ctx, { ...visit, form: texts(form) })
      if (shown.kind === 'redirect' && shown.about) noteVisit(response, page.path, shown.about)
      await show(ctx, response, visit, shown)
    } catch (error) {
      const known = toAppError(ctx, request, error)
      const { retryAfterSeconds } = known.details
      if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds))
      await message(ctx, response, visit, { status: known.row.status, kind: kindOf(known) })
    } finally {
      leave()
    }
  }
}

async function show(
  ctx: Context,
  response: Response,
  visit: Omit<Visit, 'form'>,
  shown: Shown,
): Promise<void> {
  switch (shown.kind) {
    case 'page':
      // Sent as a header. It has the same effect as the meta element, and the page does not depend on the visit.
      if (shown.refresh)
        response.setHeader('Refresh', `${shown.refresh.seconds}; url=${shown.refresh.address}`)
      response
        .status(shown.status ?? 200)
        .type('html')
        .send(shown.html)
      return
    case 'redirect':
      for (const cookie of shown.cookies ?? []) setCookie(ctx, response, cookie)
      response.redirect(shown.keepsForm ? 307 : (shown.status ?? 303), shown.url)
      return
    case 'message':
      await message(ctx, response, visit, { status: shown.status, kind: shown.message })
      return
    case 'not_found':
      await message(ctx, response, visit, { status: 404, kind: 'not_found' })
  }
}

async function message(
  ctx: Context,
  response: Response,
  visit: Omit<Visit, 'form'>,
  { status, kind }: { status: number; kind: MessageKind },
): Promise<void> {
  const { locale, localeLinks, method } = visit
  const { url } = response.req
  const requestId = response.locals.requestId as string
  const html = messagePage({
    locale,
    mode: ctx.world,
    kind,
    ...(await findNextStep(ctx, kind, visit)),
    ...(NAMES_REQUEST.includes(kind) && { requestId }),
    // No redirect: behind a proxy that does not say by which way a request came, it would lead here again.
    ...(kind === 'https_required' && {
      secureUrl: new URL(ctx.baseUrl).origin + (method === 'get' ? url : '/'),
    }),
    ...(method === 'get' && REPEATABLE.includes(kind) && { localeLinks }),
  })
  response.status(status).type('html').send(html)
}

/** The page links itself in other languages only if showing it again does no harm and its address contains nothing hostile. */
const REPEATABLE: readonly MessageKind[] = ['not_found', 'not_offered', 'no_address', 'busy']

/** Messages that show the id of the request, because somebody may have to find out what happened. */
const NAMES_REQUEST: readonly MessageKind[] = ['error', 'unavailable']

const KIND_OF_STATUS: Record<number, MessageKind> = {
  404: 'not_found',
  413: 'too_long',
  429: 'busy',
  503: 'unavailable',
}

function kindOf({ code, row }: AppError): MessageKind {
  // The route does not accept the currency or the amount now, or the product has just changed.
  if (/^(provider_route_|validation_failed$)/.test(code)) return 'unavailable'
  if (code === 'https_required') return 'https_required'
  return KIND_OF_STATUS[row.status] ?? 'error'
}

function readVisit(ctx: Context, request: Request): Omit<Visit, 'form'> {
  const query = texts(request.query)
  const { locale, localeLinks } = readLocale(request)
  return {
    method: request.method === 'POST' ? 'post' : 'get',
    path: request.path,
    params: texts(request.params),
    query,
    locale,
    localeLinks,
    referrer: request.headers.referer,
    isLedHere: isNavigation(request),
    chosenLocale: query.locale === undefined ? '' : `?${new URLSearchParams({ locale })}`,
    cookies: readCookies(request.headers.cookie),
    sender: senderOf(ctx, request),
    address: callerOf(request).address,
  }
}

/** Returns the page's language, and the same address in each language. */
export function readLocale({ path, query: given, headers }: Request): Pick<Visit, 'locale' | 'localeLinks'> {
  const query = texts(given)
  // Anything except one of our languages is ignored.
  const kept = LOCALES.find((each) => each === readCookies(headers.cookie)[LOCALE_COOKIE])
  const wanted = query.locale ?? kept
  return { locale: negotiateLocale(headers['accept-language'], wanted), localeLinks: linksTo(path, query) }
}

const LOCALE_COOKIE = 'kassa_locale'

/**
 * A language in the address is the buyer's choice, or that of the shop's page. The cookie keeps it on the way to the bank and
 * back, because providers call our return address without it. It lasts until the browser is closed.
 */
function rememberLocale(ctx: Context, response: Response, { query, locale }: Omit<Visit, 'form'>): void {
  if (query.locale !== undefined) setCookie(ctx, response, { name: LOCALE_COOKIE, value: locale })
}

/** A prefetch has `Sec-Purpose`, or in older browsers one of the other two. */
function isNavigation({ headers }: Request): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, 'sec-fetch-site': site } = headers
  const isEarly = [headers['sec-purpose'], headers.purpose, headers['x-moz']].some(
    (each) => each !== undefined,
  )
  return mode === 'navigate' && dest === 'document' && site !== undefined && site !== 'none' && !isEarly
}

/** Browsers state from which site a form was sent. Those from before 2023 state only its origin, and some pages hide that too. */
function senderOf({ baseUrl }: Context, { headers }: Request): Visit['sender'] {
  const { origin = 'null', 'sec-fetch-site': site } = headers
  if (site === 'same-origin' || (site === undefined && origin === new URL(baseUrl).origin)) return 'own_page'
  const isOther = site === undefined ? origin !== 'null' : site !== 'none'
  return isOther ? 'other_site' : 'unstated'
}

/** Returns only the plain texts of a form. A repeated or nested field is left out, and so is a text that PostgreSQL rejects. */
function texts(given: unknown): Record<string, string> {
  const entries = Object.entries((given ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !entry[1].includes('\0'),
    ),
  )
}
