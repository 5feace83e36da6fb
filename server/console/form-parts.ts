/** Parts of forms that several screens have. */
import { html, type Markup } from '../pages/html.ts'
import type { Locale } from '../pages/words/locale.ts'
import { say } from './words/say.ts'

export function alertOf(problem: string | undefined): Markup {
  return problem === undefined ? null : html`<p class="alert" role="alert">${problem}</p>`
}

type Field = {
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'search'
  value?: string
  hint?: string
  autocomplete?: string
  inputmode?: string
  isOptional?: boolean
}

export function field({
  name,
  label,
  type = 'text',
  value,
  hint,
  autocomplete,
  inputmode,
  isOptional,
}: Field): Markup {
  return html`<p class="field">
    <label for=${`field-${name}`}>${label}</label>
    <input
      id=${`field-${name}`}
      name=${name}
      type=${type}
      value=${value}
      autocomplete=${autocomplete ?? 'off'}
      inputmode=${inputmode}
      required=${!isOptional}
      aria-describedby=${hint ? `hint-${name}` : undefined}
    />
    ${hint ? html`<small id=${`hint-${name}`}>${hint}</small>` : null}
  </p>`
}

/** Hidden until the script knows that the browser has passkeys. The script fills `json`. */
export function passkeyForm(
  locale: Locale,
  {
    action,
    how,
    label,
    hidden = {},
  }: { action: string; how: 'get' | 'create'; label: string; hidden?: Record<string, string> },
): Markup {
  return html`<form method="post" action=${action} data-passkey=${how} data-failed=${say(locale, 'passkeyFailed')} hidden>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    <input type="hidden" name="json" />
    <button class="button">${label}</button>
    <p role="status"></p>
  </form>`
}
