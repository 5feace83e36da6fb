/** The pages of signing in and out. */
import { hasPasskeys } from '../../access/passkeys.ts'
import { endSession, SESSION_SECONDS } from '../../access/sessions.ts'
import {
  beginPasskey,
  type Refusal,
  type SignedIn,
  tryCode,
  tryPasskey,
  tryPassword,
} from '../../access/sign-in.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { type Cookie, gone } from '../cookies.ts'
import { alertOf, field, passkeyForm } from '../form-parts.ts'
import { type ConsolePage, ownPath, type Screen, SESSION, STEP, type Visit } from '../page.ts'
import { narrowScreen } from '../page-parts.ts'
import { translate } from '../words/translate.ts'

const STEP_SECONDS = 300

export const stepCookie = (value: string): Cookie => ({ name: STEP, value, seconds: STEP_SECONDS })
/** The cookies of somebody who has just signed in. */
export const sessionCookies = ({ session, device }: Pick<SignedIn, 'session' | 'device'>): Cookie[] => [
  { name: SESSION, value: session, seconds: SESSION_SECONDS },
  gone(STEP),
  ...(device ? [device] : []),
]

/** The text of a refusal, for the person who signs in. */
export function refusalText(
  locale: Locale,
  refusal: Refusal,
  wrong: 'signInWrong' | 'codeWrong' | 'passkeyWrong',
): string {
  if (refusal.kind === 'clock') {
    const minutes = Math.abs(refusal.offMinutes)
    return translate(locale, refusal.offMinutes > 0 ? 'clockFast' : 'clockSlow', { minutes })
  }
  if (refusal.kind === 'used') return translate(locale, 'codeUsed')
  return translate(locale, refusal.kind === 'over' ? 'stepOver' : wrong)
}

function passwordScreen(visit: Visit, { to, problem }: { to: string; problem?: string }): Screen {
  const { locale, origin, form } = visit
  const title = translate(locale, 'signIn')
  const body = html`<p class="lead">${translate(locale, 'welcomeText')}</p>
    ${alertOf(problem)}
    ${hasPasskeys(origin) ? passkeyForm(locale, { action: '/sign-in/passkey', how: 'get', label: translate(locale, 'signInPasskey'), hidden: { to } }) : null}
    <form method="post" action="/sign-in" class="fields">
      <input type="hidden" name="to" value=${to} />
      ${field({ name: 'email', label: translate(locale, 'email'), type: 'email', value: form.email ?? '', autocomplete: 'username' })}
      ${field({ name: 'password', label: translate(locale, 'password'), type: 'password', autocomplete: 'current-password' })}
      <button class="button">${translate(locale, 'next')}</button>
    </form>
    <p class="hint">${translate(locale, 'linkNeeded')}</p>`
  return narrowScreen({ title, body, ...(problem !== undefined && { status: 422 }) })
}

function codeScreen({ locale }: Visit, { to, problem }: { to: string; problem?: string }): Screen {
  const title = translate(locale, 'codeTitle')
  const body: Markup = html`<div class="narrow">
    <h1>${title}</h1>
    <p class="lead">${translate(locale, 'codeText')}</p>
    ${alertOf(problem)}
    <form method="post" action="/sign-in/code" class="fields">
      <input type="hidden" name="to" value=${to} />
      ${field({ name: 'code', label: translate(locale, 'code'), autocomplete: 'one-time-code', inputmode: 'text' })}
      <button class="button">${translate(locale, 'signIn')}</button>
    </form>
    <p><a href="/sign-in">${translate(locale, 'startAgain')}</a></p>
  </div>`
  return { kind: 'screen', title, body, ...(problem !== undefined && { status: 422 }) }
}

export const senderOf = ({ address, network, gone, cookies }: Visit) => ({ address, network, gone, cookies })

const signIn: ConsolePage = {
  method: 'get',
  path: '/sign-in',
  needs: 'nobody',
  handle: async (visit) => passwordScreen(visit, { to: ownPath(visit.query.to) }),
}

const signInForm: ConsolePage = {
  method: 'post',
  path: '/sign-in',
  needs: 'nobody',
  async handle(visit) {
    const { ctx, form, locale } = visit
    const { email = '', password = '' } = form
    const to = ownPath(form.to)
    const tried = await tryPassword(ctx, { email, password, ...senderOf(visit) })
    if (tried.kind !== 'step')
      return passwordScreen(visit, { to, problem: refusalText(locale, tried, 'signInWrong') })
    const next = `/sign-in/code?${new URLSearchParams({ to })}`
    return { kind: 'redirect', to: next, cookies: [stepCookie(tried.step), gone(SESSION)] }
  },
}

const code: ConsolePage = {
  method: 'get',
  path: '/sign-in/code',
  needs: 'nobody',
  handle: async (visit) => codeScreen(visit, { to: ownPath(visit.query.to) }),
}

const codeForm: ConsolePage = {
  method: 'post',
  path: '/sign-in/code',
  needs: 'nobody',
  async handle(visit) {
    const { ctx, form, step, locale } = visit
    const to = ownPath(form.to)
    const tried = await tryCode(ctx, { step, code: form.code ?? '', ...senderOf(visit) })
    if (tried.kind === 'in') return { kind: 'redirect', to, cookies: sessionCookies(tried) }
    return codeScreen(visit, { to, problem: refusalText(locale, tried, 'codeWrong') })
  },
}

const passkeyOptions: ConsolePage = {
  method: 'post',
  path: '/sign-in/passkey/options',
  needs: 'nobody',
  async handle({ ctx, address, origin }) {
    const { options, step } = await beginPasskey(ctx, { address, origin })
    return { kind: 'json', body: options, cookies: [stepCookie(step)] }
  },
}

const passkey: ConsolePage = {
  method: 'post',
  path: '/sign-in/passkey',
  needs: 'nobody',
  async handle(visit) {
    const { ctx, form, address, cookies, step, origin, locale } = visit
    const to = ownPath(form.to)
    const tried = await tryPasskey(ctx, { step, answer: readAnswer(form), address, origin, cookies })
    if (tried.kind === 'in') return { kind: 'redirect', to, cookies: sessionCookies(tried) }
    return passwordScreen(visit, { to, problem: refusalText(locale, tried, 'passkeyWrong') })
  },
}

const signOut: ConsolePage = {
  method: 'post',
  path: '/sign-out',
  needs: 'session',
  async handle({ ctx, session }) {
    await endSession(ctx, session)
    return { kind: 'redirect', to: '/sign-in', cookies: [gone(SESSION)] }
  },
}

/** What the browser's script has put into the form; null if it is no JSON. */
export function readAnswer({ json = '' }: Record<string, string>): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

export const SIGN_IN_PAGES: readonly ConsolePage[] = [
  signIn,
  signInForm,
  code,
  codeForm,
  passkeyOptions,
  passkey,
  signOut,
]
