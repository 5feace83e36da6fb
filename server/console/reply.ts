/** Writes what a page of the console returns into the response: a screen, a file, or what went wrong. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { PASSWORD_QUEUE } from '../access/password-turns.ts'
import type { Context } from '../context.ts'
import type { AppError } from '../errors.ts'
import { toAppError } from '../http/reply-error.ts'
import { html } from '../pages/html.ts'
import { type Locale, negotiateLocale } from '../pages/words/locale.ts'
import { cookieOf, setCookie } from './cookies.ts'
import { renderScreen } from './frame.ts'
import { ownPath, type Shown, type Visit } from './page.ts'
import { type AutomaticLook, pauseAfter, readLook } from './refresh.ts'
import { type ConsoleKey, translate, translateAny } from './words/translate.ts'

export const LOCALE_COOKIE = 'locale'

export function localeOf(request: Request, origin: string): Locale {
  return negotiateLocale(request.headers['accept-language'], cookieOf(request, origin, LOCALE_COOKIE))
}

export function show(
  request: Request,
  response: Response,
  { locale, origin, timeZone }: Pick<Visit, 'locale' | 'origin'> & Visit['shown'],
  shown: Exclude<Shown, { kind: 'file' }>,
): void {
  const look = request.method === 'GET' ? readLook(texts(request.query)) : null
  for (const cookie of ('cookies' in shown && shown.cookies) || []) setCookie(response, origin, cookie)
  switch (shown.kind) {
    case 'redirect':
      response.redirect(303, shown.to)
      return
    case 'json':
      response.json(shown.body)
      return
    case 'same':
      setPauseHeader(response, look)
      response.status(204).end()
      return
    case 'again':
      response.setHeader('Refresh', `0; url=${ownPath(request.originalUrl)}`)
      response.type('html').send('<!doctype html><title>Kassa</title>')
      return
    case 'screen': {
      const { title, body, around, refreshing, status = 200 } = shown
      const address = request.method === 'GET' ? request.originalUrl : undefined
      if (refreshing && look) setPauseHeader(response, look)
      response
        .status(status)
        .type('html')
        .send(
          renderScreen({
            locale,
            title,
            body,
            address,
            around,
            timeZone,
            isRefreshing: refreshing !== undefined,
            look,
          }),
        )
    }
  }
}

function setPauseHeader(response: Response, look: AutomaticLook | null): void {
  const pause = pauseAfter(look)
  if (pause !== null) response.setHeader('Retry-After', String(pause))
}

/** A browser that goes away ends the reading. After a failure the connection ends too, so that no part is taken for the whole. */
export async function sendFile(
  request: Request,
  response: Response,
  ctx: Context,
  { name, type, text }: Extract<Shown, { kind: 'file' }>,
): Promise<void> {
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Disposition', `attachment; filename="${name}"`)
  try {
    await pipeline(Readable.from(text), response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE')
      toAppError(ctx, request, error)
    response.destroy()
  }
}

const FAILURES: Record<number, [ConsoleKey, ConsoleKey]> = {
  403: ['forbiddenTitle', 'forbiddenText'],
  404: ['notFoundTitle', 'notFoundText'],
  413: ['tooLargeTitle', 'tooLargeText'],
  429: ['busyTitle', 'busyText'],
}

const PLAIN: [ConsoleKey, ConsoleKey] = ['httpsTitle', 'httpsText']
/** The person has done nothing wrong: too many sign in at this moment. */
const QUEUE_FULL: [ConsoleKey, ConsoleKey] = ['signInBusyTitle', 'signInBusyText']

/** Texts for failures whose status alone does not say what the person can do. */
function textsOf({ code, details, row }: AppError): [ConsoleKey, ConsoleKey] {
  if (code === 'https_required') return PLAIN
  if (details.about?.limit === PASSWORD_QUEUE) return QUEUE_FULL
  return FAILURES[row.status] ?? ['errorTitle', 'errorText']
}

export function showFailure(
  ctx: Context,
  request: Request,
  response: Response,
  error: unknown,
  origin: string,
): void {
  const known = toAppError(ctx, request, error)
  const { status } = known.row
  const { retryAfterSeconds } = known.details
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds))
  const locale = localeOf(request, origin)
  const [titleKey, textKey] = textsOf(known)
  const title = translateAny(locale, titleKey)
  const id = response.locals.requestId as string
  const body = html`<h1>${title}</h1>
    <p>${translateAny(locale, textKey, { seconds: retryAfterSeconds ?? 1 })}</p>
    ${status >= 500 ? html`<p>${translate(locale, 'requestNumber', { id })}</p>` : null}
    <p><a href=${known.code === 'https_required' ? `${origin}/` : '/'}>${translate(locale, 'back')}</a></p>`
  show(request, response, { locale, origin }, { kind: 'screen', title, body, status })
}

/** Returns only the plain texts. A repeated or nested field is left out, and so is a text that PostgreSQL rejects. */
export function texts(given: unknown): Record<string, string> {
  const entries = Object.entries((given ?? {}) as Record<string, unknown>)
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !entry[1].includes('\0'),
    ),
  )
}
