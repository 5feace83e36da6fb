/** Serves the console's pages. A failure becomes a page too. */
import type { Request, RequestHandler, Response } from 'express'
import type { Context, Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { callerOf } from '../http/caller.ts'
import { readForm } from '../http/pages/form.ts'
import { takePermits } from '../http/rate-limit.ts'
import { toAppError } from '../http/reply-error.ts'
import { html } from '../pages/html.ts'
import { LOCALES, type Locale, negotiateLocale } from '../pages/words/locale.ts'
import { mainWorld } from '../worlds.ts'
import { cookieOf, setCookie } from './cookies.ts'
import { renderScreen } from './frame.ts'
import type { ConsolePage, Shown, Visit } from './page.ts'
import { type ConsoleKey, say } from './words.ts'

const FORM_BYTES_MAX = 16_384
const LOCALE_COOKIE = 'locale'
const YEAR_SECONDS = 31_536_000

export function servePage(worlds: Worlds, page: ConsolePage, origin: string): RequestHandler {
  const ctx = mainWorld(worlds)
  return async (request, response) => {
    try {
      await takePermits(ctx, response, 'page', callerOf(request))
      if (chooseLocale(request, response, origin)) return
      if (page.method === 'post') expectOwnForm(request, origin)
      const form = page.method === 'post' ? texts(await readForm(request, FORM_BYTES_MAX)) : {}
      const visit = { ...readVisit(request, origin), form }
      show(request, response, visit, await page.handle(visit))
    } catch (error) {
      showFailure(ctx, request, response, error)
    }
  }
}

/**
 * SameSite cookies ignore ports and the other hosts of a domain, so every write must come from a page of this very origin. Browsers
 * say so themselves: all new ones in Sec-Fetch-Site, and older ones, and pages without TLS, in Origin.
 * @throws AppError origin_not_trusted
 */
function expectOwnForm({ headers }: Request, origin: string): void {
  const { 'sec-fetch-site': site, origin: named } = headers
  const isOwn = site === undefined ? named === origin : site === 'same-origin'
  // A browser that says both must agree with itself.
  if (!isOwn || (named !== undefined && named !== origin)) throw new AppError('origin_not_trusted')
}

/** Keeps a language that was chosen, and leads to the same address without it. Returns false if none was chosen. */
function chooseLocale(request: Request, response: Response, origin: string): boolean {
  const { locale, ...rest } = texts(request.query)
  const chosen = LOCALES.find((each) => each === locale)
  if (!chosen || request.method !== 'GET') return false
  setCookie(response, origin, { name: LOCALE_COOKIE, value: chosen, seconds: YEAR_SECONDS })
  const query = new URLSearchParams(rest).toString()
  response.redirect(303, request.path.replace(/^\/+/, '/') + (query && `?${query}`))
  return true
}

function localeOf(request: Request, origin: string): Locale {
  return negotiateLocale(request.headers['accept-language'], cookieOf(request, origin, LOCALE_COOKIE))
}

function readVisit(request: Request, origin: string): Omit<Visit, 'form'> {
  return {
    params: texts(request.params),
    query: texts(request.query),
    address: callerOf(request).address,
    origin,
    locale: localeOf(request, origin),
  }
}

function show(request: Request, response: Response, { locale }: Pick<Visit, 'locale'>, shown: Shown): void {
  if (shown.kind === 'redirect') {
    response.redirect(303, shown.to)
    return
  }
  if (shown.kind === 'json') {
    response.status(shown.status ?? 200).json(shown.body)
    return
  }
  const { title, body, status = 200 } = shown
  const address = request.method === 'GET' ? request.originalUrl : undefined
  response.status(status).type('html').send(renderScreen({ locale, title, body, address }))
}

const FAILURES: Record<number, [ConsoleKey, ConsoleKey]> = {
  403: ['forbiddenTitle', 'forbiddenText'],
  404: ['notFoundTitle', 'notFoundText'],
  429: ['busyTitle', 'busyText'],
}

export function showFailure(ctx: Context, request: Request, response: Response, error: unknown): void {
  const known = toAppError(ctx, request, error)
  const { status } = known.row
  const { retryAfterSeconds } = known.details
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds))
  const locale = negotiateLocale(request.headers['accept-language'])
  const [titleKey, textKey] = FAILURES[status] ?? ['errorTitle', 'errorText']
  const title = say(locale, titleKey)
  const id = response.locals.requestId as string
  const body = html`<h1>${title}</h1>
    <p>${say(locale, textKey, { seconds: String(retryAfterSeconds ?? 1) })}</p>
    ${status >= 500 ? html`<p>${say(locale, 'requestNumber', { id })}</p>` : null}
    <p><a href="/">${say(locale, 'back')}</a></p>`
  show(request, response, { locale }, { kind: 'screen', title, body, status })
}

/** Returns only the plain texts. A repeated or nested field is left out, and so is a text that PostgreSQL rejects. */
function texts(given: unknown): Record<string, string> {
  const entries = Object.entries((given ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !entry[1].includes('\0'),
    ),
  )
}
