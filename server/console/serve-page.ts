/** Serves the console's pages. A failure becomes a page too. */
import type { Request, RequestHandler, Response } from 'express'
import { isFactorFresh, noteSecondFactor } from '../access/factor-times.ts'
import { untilKnown } from '../access/known.ts'
import { findSession } from '../access/sessions.ts'
import { type Act, may, rolesFor, stakesOf } from '../acts/policy.ts'
import type { OneAct } from '../audit/people.ts'
import type { Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { callerOf } from '../http/caller.ts'
import { readForm, readFormWithFiles } from '../http/pages/form.ts'
import { enterAsPerson } from '../http/pages/person-work.ts'
import { takePermits } from '../http/rate-limit.ts'
import { networkOf } from '../limits/network.ts'
import { html } from '../pages/html.ts'
import { LOCALES, type Locale } from '../pages/words/locale.ts'
import type { SecondFactorTimes } from '../storage/access/sessions.ts'
import type { UserRecord } from '../storage/access/users.ts'
import { listWorlds, mainWorld } from '../worlds.ts'
import { expectSecondFactor, SecondFactorNeeded, secondFactorScreen } from './again.ts'
import { cookieOf, gone, setCookie } from './cookies.ts'
import { withSoundLog } from './log-guard.ts'
import type { ConsoleVisitor } from './menu.ts'
import { type ConsolePage, SESSION, type Shown, STEP, type Visit } from './page.ts'
import { wideScreen } from './page-parts.ts'
import { readLook } from './refresh.ts'
import { LOCALE_COOKIE, localeOf, sendFile, show, showFailure, texts } from './reply.ts'
import { translate } from './words/translate.ts'
import { worldOf } from './world.ts'

const FORM_BYTES_MAX = 16_384
/** One picture or statement, and the texts beside it. */
const FILE_FORM = { fileBytesMax: 5 * 1024 * 1024, bytesMax: 5_600_000 }
const YEAR_SECONDS = 31_536_000

export function servePage(worlds: Worlds, page: ConsolePage, origin: string): RequestHandler {
  const ctx = mainWorld(worlds)
  return async (request, response) => {
    const locale = localeOf(request, origin)
    const leaves: (() => void)[] = []
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      await takePermits(ctx, response, 'page', callerOf(request))
      if (chooseLocale(request, response, origin)) return
      if (page.method === 'post') expectOwnForm(request, origin)
      const hasForm = page.method === 'post' && !page.hasFiles
      const form = hasForm ? texts(await readForm(request, FORM_BYTES_MAX)) : {}
      const visit: Visit = {
        ...readVisit(request, origin),
        ctx,
        worlds,
        locale,
        form,
        file: () => undefined,
        chosen: [],
        gone: gone.signal,
      }
      const shown = await withSoundLog(visit, page, () =>
        page.needs === 'nobody'
          ? page.handle(visit)
          : handleOwn(request, visit, page, (leave) => leaves.push(leave)),
      )
      if (shown.kind === 'file') await sendFile(request, response, ctx, shown)
      else show(request, response, { locale, origin, ...visit.shown }, shown)
    } catch (error) {
      showFailure(ctx, request, response, error, origin)
    } finally {
      for (const leave of leaves) leave()
    }
  }
}

type OwnPage = Exclude<ConsolePage, { needs: 'nobody' }>

/** A visitor who is not signed in signs in first, and then comes back. Another role reads which roles may do it. */
async function handleOwn(
  request: Request,
  visit: Visit,
  page: OwnPage,
  atEnd: (leave: () => void) => void,
): Promise<Shown> {
  const { ctx, session, locale, look } = visit
  if (visit.params.world !== undefined) worldOf(visit)
  const found = await findSession(ctx, session, { isUse: look === null })
  if (!found || session === undefined) {
    if (request.method !== 'GET') return { kind: 'redirect', to: '/sign-in', cookies: [gone(SESSION)] }
    // The cookie is not sent with a link of another site, such as one in a mail. From here the browser follows it once more, with it.
    if (/^(cross|same)-site$/.test(request.get('sec-fetch-site') ?? '')) return { kind: 'again' }
    const to = request.originalUrl === '/' ? '' : `?${new URLSearchParams({ to: request.originalUrl })}`
    return { kind: 'redirect', to: `/sign-in${to}` }
  }
  const { user, factorTimes } = found
  atEnd(await enterAsPerson(ctx, user.id, page))
  if (page.needs !== 'session' && !may(user, page.needs))
    return forbidden(locale, page.needs, aroundOf(visit, user))
  const sent = page.hasFiles ? await readSent(request) : {}
  const startedAt = performance.now()
  const shown = await handleWithSecondFactor(page, { ...visit, ...sent, user, session, factorTimes })
  await untilKnown(ctx.db, startedAt)
  if (shown.kind !== 'screen') return shown
  if (look?.mark !== undefined && look.mark === shown.refreshing?.mark) return { kind: 'same' }
  return { ...shown, around: aroundOf(visit, user) }
}

/** A verb may ask for the second factor once more. */
async function handleWithSecondFactor(
  page: OwnPage,
  visit: Visit & { user: UserRecord; session: string; factorTimes: SecondFactorTimes },
): Promise<Shown> {
  const { ctx, session, address } = visit
  let { factorTimes: proofs } = visit
  const isProvedNow = (act: OneAct) => {
    const stakes = stakesOf(act.what)
    return stakes !== null && isFactorFresh(proofs, stakes, address)
  }
  const prove = async (act: OneAct) => {
    if (isProvedNow(act)) return
    await expectSecondFactor(visit, act)
    const stakes = stakesOf(act.what)
    if (stakes) proofs = await noteSecondFactor(ctx, { session, factorTimes: proofs }, stakes, address)
  }
  try {
    return await page.handle({ ...visit, isProved: isProvedNow, user: { ...visit.user, prove } })
  } catch (error) {
    if (error instanceof SecondFactorNeeded) return secondFactorScreen(visit, error)
    throw error
  }
}

async function readSent(request: Request): Promise<Pick<Visit, 'form' | 'file' | 'chosen'>> {
  const { fields, files, tooLong } = await readFormWithFiles(request, FILE_FORM)
  const file = (name: string) => {
    if (tooLong.includes(name))
      throw new AppError('validation_failed', { errors: { [name]: 'must have at most 5 MB' } })
    return files[name]
  }
  return { form: texts(fields), file, chosen: [...Object.keys(files), ...tooLong] }
}

function aroundOf({ ctx, worlds, params }: Visit, user: UserRecord): ConsoleVisitor {
  const served = listWorlds(worlds).map(({ world }) => world)
  const world = served.find((each) => each === params.world) ?? ctx.world
  return { user, world, worlds: served }
}

function forbidden(locale: Locale, act: Act, around: ConsoleVisitor): Shown {
  const title = translate(locale, 'notAllowedTitle')
  const roles = rolesFor(act).map((role) => translate(locale, `role_${role}`))
  const body = html`<p>${translate(locale, 'notAllowedText', { roles: roles.join(', ') })}</p>
    <p><a href="/">${translate(locale, 'back')}</a></p>`
  return wideScreen({ title, body, status: 403, around })
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

function readVisit(
  request: Request,
  origin: string,
): Omit<Visit, 'form' | 'file' | 'chosen' | 'ctx' | 'worlds' | 'locale' | 'gone'> {
  return {
    params: texts(request.params),
    query: texts(request.query),
    look: request.method === 'GET' ? readLook(texts(request.query)) : null,
    shown: {},
    address: callerOf(request).address,
    network: networkOf(request.ip ?? ''),
    origin,
    step: cookieOf(request, origin, STEP),
    session: cookieOf(request, origin, SESSION),
    cookies: (name) => cookieOf(request, origin, name),
  }
}
