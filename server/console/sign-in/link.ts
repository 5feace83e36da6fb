/** The pages behind a one-time link: setting up how to sign in. */
import { otpAddress } from '../../access/one-time-code.ts'
import { hasPasskeys } from '../../access/passkeys.ts'
import { PASSWORD_CHARS } from '../../access/password.ts'
import { beginSetUpPasskey, findLink, setUpPasskey, setUpPassword } from '../../access/set-up.ts'
import { html } from '../../pages/html.ts'
import { secretCode } from '../../pages/qr-code.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { alertOf, field, passkeyForm } from '../form-parts.ts'
import type { ConsolePage, Screen, Visit } from '../page.ts'
import { narrowScreen } from '../page-parts.ts'
import { translate } from '../words/translate.ts'
import { readAnswer, refusalText, senderOf, sessionCookies, stepCookie } from './sign-in.ts'

async function linkScreen(visit: Visit, problem?: string): Promise<Screen> {
  const { ctx, params, address, locale, origin } = visit
  const token = params.token ?? ''
  const found = await findLink(ctx, { token, address })
  if (!found) return overScreen(visit)
  const { user, codeSecret } = found
  const app = otpAddress(codeSecret, user.email)
  const title = translate(locale, 'setUpTitle', { name: user.name })
  const body = html`<p class="lead">${translate(locale, 'setUpText')}</p>
    ${alertOf(problem)}
    ${hasPasskeys(origin) ? passkeyForm(locale, { action: `/link/${token}/passkey`, how: 'create', label: translate(locale, 'setUpPasskey') }) : null}
    <h2>${translate(locale, 'setUpPassword')}</h2>
    <form method="post" action=${`/link/${token}`} class="fields">
      ${field({ name: 'email', label: translate(locale, 'email'), type: 'email', value: user.email, autocomplete: 'username' })}
      ${field({
        name: 'password',
        label: translate(locale, 'password'),
        type: 'password' as const,

        autocomplete: 'new-password',
        hint: translate(locale, 'passwordHint', { chars: PASSWORD_CHARS.min }),
      })}
      <p>${translate(locale, 'appText')}</p>
      <p><a href=${app}>${translate(locale, 'appLink')}</a></p>
      ${secretCode(app, translate(locale, 'appCode'))}
      <p class="hint">${translate(locale, 'appSecret')} <code class="secret">${codeSecret.match(/.{1,4}/g)?.join(' ')}</code></p>
      ${field({ name: 'code', label: translate(locale, 'code'), autocomplete: 'one-time-code', inputmode: 'numeric' })}
      <button class="button">${translate(locale, 'setUpDone')}</button>
    </form>`
  return narrowScreen({ title, body, ...(problem !== undefined && { status: 422 }) })
}

/** The one time that these codes are shown. `next`: where the person goes on to. */
export function recoveryScreen(locale: Locale, codes: readonly string[], next: string): Screen {
  const title = translate(locale, 'recoveryTitle')
  const body = html`<p class="lead">${translate(locale, 'recoveryText')}</p>
    <ul class="codes">
      ${codes.map((each) => html`<li><code>${each}</code></li>`)}
    </ul>
    <p><a class="button" href=${next}>${translate(locale, 'recoveryDone')}</a></p>`
  return narrowScreen({ title, body })
}

function overScreen({ locale }: Visit): Screen {
  const title = translate(locale, 'linkOverTitle')
  const body = html`<p>${translate(locale, 'linkOverText')}</p>
    <p><a href="/sign-in">${translate(locale, 'signIn')}</a></p>`
  return narrowScreen({ title, body, status: 404 })
}

const link: ConsolePage = {
  method: 'get',
  path: '/link/:token',
  needs: 'nobody',
  handle: (visit) => linkScreen(visit),
}

const linkForm: ConsolePage = {
  method: 'post',
  path: '/link/:token',
  needs: 'nobody',
  async handle(visit) {
    const { ctx, params, form, locale } = visit
    const { password = '', code = '' } = form
    const made = await setUpPassword(ctx, {
      token: params.token ?? '',
      password,
      code,
      ...senderOf(visit),
    })
    if (made.kind === 'password') {
      const chars = made.fault === 'long' ? PASSWORD_CHARS.max : PASSWORD_CHARS.min
      return linkScreen(visit, translate(locale, `password_${made.fault}`, { chars }))
    }
    if (made.kind !== 'in') return linkScreen(visit, refusalText(locale, made, 'codeWrong'))
    return { ...recoveryScreen(locale, made.recoveryCodes, '/'), cookies: sessionCookies(made) }
  },
}

const passkeyOptions: ConsolePage = {
  method: 'post',
  path: '/link/:token/passkey/options',
  needs: 'nobody',
  async handle({ ctx, params, address, origin }) {
    const { options, step } = await beginSetUpPasskey(ctx, { token: params.token ?? '', address, origin })
    return { kind: 'json', body: options, cookies: [stepCookie(step)] }
  },
}

const passkey: ConsolePage = {
  method: 'post',
  path: '/link/:token/passkey',
  needs: 'nobody',
  async handle(visit) {
    const { ctx, params, form, step, address, origin, locale } = visit
    const token = params.token ?? ''
    const made = await setUpPasskey(ctx, { token, step, answer: readAnswer(form), address, origin })
    if (made.kind !== 'in') return linkScreen(visit, refusalText(locale, made, 'passkeyWrong'))
    return { kind: 'redirect', to: '/', cookies: sessionCookies(made) }
  },
}

export const LINK_PAGES: readonly ConsolePage[] = [link, linkForm, passkeyOptions, passkey]
