/** Parts that several screens have beside their forms. */
import { type Act, may, rolesFor } from '../acts/policy.ts'
import { LANGUAGES } from '../contract/languages.ts'
import { html, type Markup } from '../pages/html.ts'
import type { Locale } from '../pages/words/locale.ts'
import { alertOf, noticeOf } from './form-parts.ts'
import type { OwnVisit, Screen } from './page.ts'
import { translate } from './words/translate.ts'

/** What one may not do is shown with the roles that may. */
export function whoMay(locale: Locale, act: Act): Markup {
  return html`<p class="hint">${translate(locale, 'whoMay', { roles: namesOfRoles(locale, act) })}</p>`
}

export function namesOfRoles(locale: Locale, act: Act): string {
  return rolesFor(act)
    .map((role) => translate(locale, `role_${role}`))
    .join(', ')
}

/** The button of an act, or who may do it. */
export function orWhoMay(
  { locale, user }: Pick<OwnVisit, 'locale' | 'user'>,
  act: Act,
  button: Markup,
): Markup {
  return may(user, act) ? button : whoMay(locale, act)
}

/**
 * `isName`: a person has chosen the title, so it may be of any script. `problem`: why a form was not accepted. `notice`: what was done, if there is no problem.
 * `back`: the address and the title of the screen before.
 */
type ScreenParts = Omit<Screen, 'kind'> & {
  isName?: true
  problem?: string | undefined
  notice?: string | null
  back?: readonly [href: string, title: string]
}

/** A screen with what every screen has around its own parts. */
export function wideScreen({
  isName,
  problem,
  notice = null,
  back,
  title,
  body,
  ...more
}: ScreenParts): Screen {
  const whole = html`<h1>${isName ? html`<bdi>${title}</bdi>` : title}</h1>
    ${problem === undefined ? noticeOf(notice) : alertOf(problem)}
    ${body} ${back === undefined ? null : backTo(...back)}`
  return { kind: 'screen', title, body: whole, ...(problem !== undefined && { status: 422 }), ...more }
}

/** A screen that has no wider lines than a form. */
export function narrowScreen(parts: ScreenParts): Screen {
  const screen = wideScreen(parts)
  return { ...screen, body: html`<div class="narrow">${screen.body}</div>` }
}

export function backTo(href: string, title: string): Markup {
  return html`<p class="back"><a href=${href}>← <bdi>${title}</bdi></a></p>`
}

/** What a list is cut to. One tap takes each away: its address is that of the list without it. */
export function filterTags(locale: Locale, cuts: readonly (readonly [text: string, href: string])[]): Markup {
  if (cuts.length === 0) return null
  return html`<ul class="tags">
    ${cuts.map(([text, href]) => html`<li><a class="tag" href=${href} aria-label=${translate(locale, 'without', { what: text })}>${text} ×</a></li>`)}
  </ul>`
}

/** The choices of a list, one of which is chosen. One tap takes another one. */
export function choiceTags<Choice>(
  choices: readonly (readonly [choice: Choice, text: string])[],
  chosen: Choice,
  hrefOf: (choice: Choice) => string,
): Markup {
  return html`<ul class="tags">
    ${choices.map(([each, text]) => html`<li><a class="tag" href=${hrefOf(each)} aria-current=${each === chosen ? 'true' : undefined}>${text}</a></li>`)}
  </ul>`
}

/** A text to pass on, in its own language, with a button that copies it. Without a script the button is not shown. */
export function copyText(
  locale: Locale,
  { id, lang, text }: { id: string; lang: Locale; text: string },
): Markup {
  return html`<div class="copied">
    <p><strong>${LANGUAGES[lang].own}</strong><br /><span id=${id} lang=${lang}>${text}</span></p>
    <button type="button" class="button quiet" data-copy=${id} data-done=${translate(locale, 'copied')} hidden>${translate(locale, 'copy', { language: LANGUAGES[lang].own })}</button>
    <span role="status"></span>
  </div>`
}
