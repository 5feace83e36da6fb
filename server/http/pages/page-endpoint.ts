/** The one way in which a hosted page is declared. A failure becomes a page too, with the request's id on it. */
import type { Request, RequestHandler, Response } from 'express'
import type { Context } from '../../context.ts'
import type { AppError } from '../../errors.ts'
import { toAppError } from '../reply-error.ts'
import { type Locale, negotiateLocale } from './locale.ts'
import { type MessageKind, messagePage } from './message-page.ts'
import type { LocaleLinks } from './page.ts'

export type Visit = {
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of a posted form. */
  form: Record<string, string>
  locale: Locale
  /** The same page in each language. */
  localeLinks: LocaleLinks
}
export type Shown =
  | { kind: 'page'; html: string; status?: number }
  | { kind: 'redirect'; url: string }
  | { kind: 'not_found' }

export type PageEndpoint = {
  method: 'get' | 'post'
  path: string
  handle(ctx: Context, visit: Visit): Promise<Shown>
}

export function servePage(ctx: Context, { handle }: PageEndpoint): RequestHandler {
  return async (request, response) => {
    response.setHeader('Cache-Control', 'no-store')
    const visit = readVisit(request)
    try {
      show(ctx, response, visit, await handle(ctx, visit))
    } catch (error) {
      const known = toAppError(ctx, error, response.locals.requestId)
      message(ctx, response, visit, { status: known.row.status, kind: kindOf(known) })
    }
  }
}

function show(ctx: Context, response: Response, visit: Visit, shown: Shown): void {
  switch (shown.kind) {
    case 'page':
      response
        .status(shown.status ?? 200)
        .type('html')
        .send(shown.html)
      return
    case 'redirect':
      response.redirect(303, shown.url)
      return
    case 'not_found':
      message(ctx, response, visit, { status: 404, kind: 'not_found' })
  }
}

function message(
  ctx: Context,
  response: Response,
  visit: Visit,
  { status, kind }: { status: number; kind: MessageKind },
): void {
  const { locale } = visit
  const requestId = response.locals.requestId as string
  const html = messagePage({
    locale,
    mode: ctx.config.mode,
    kind,
    ...(kind !== 'not_found' && { requestId }),
  })
  response.status(status).type('html').send(html)
}

function kindOf(error: AppError): MessageKind {
  if (error.row.status === 404) return 'not_found'
  return error.row.status === 503 ? 'unavailable' : 'error'
}

function readVisit(request: Request): Visit {
  const query = texts(request.query)
  const locale = negotiateLocale(request.headers['accept-language'], query.locale)
  const link = (each: Locale) => `${request.path}?${new URLSearchParams({ ...query, locale: each })}`
  const localeLinks = { hy: link('hy'), ru: link('ru'), en: link('en') }
  return { params: texts(request.params), query, form: texts(request.body), locale, localeLinks }
}

/** Only the plain texts of what was sent: a repeated or nested field is left out, and one that PostgreSQL would not take. */
function texts(given: unknown): Record<string, string> {
  const entries = Object.entries((given ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !entry[1].includes('\0'),
    ),
  )
}
