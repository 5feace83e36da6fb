/** Parts of forms that several screens have. */
import { html, type Markup } from '../pages/html.ts'
import type { Locale } from '../pages/words/locale.ts'
import type { Visit } from './page.ts'
import { translate } from './words/translate.ts'

export function alertOf(problem: string | undefined): Markup {
  return problem === undefined ? null : html`<p class="alert" role="alert">${problem}</p>`
}

/** The message about what was done. A screen reader reads it aloud. */
export function noticeOf(text: string | null): Markup {
  return text === null ? null : html`<p class="done" role="status">${text}</p>`
}

export function hiddenFields(values: Record<string, string>): Markup {
  return html`${Object.entries(values).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}`
}

/** Beside the button that does what the form says: the form comes back, with everything that was typed. */
export const backButton = (label: string): Markup =>
  html`<button class="button quiet" name="back" value="yes" formnovalidate>${label}</button>`
export const goesBack = ({ form }: { form: Record<string, string> }): boolean => form.back === 'yes'

export type Option = readonly [value: string, text: string]

export function selectField(name: string, label: string, options: readonly Option[], value: string): Markup {
  return html`<p class="field">
    <label for=${name}>${label}</label>
    <select id=${name} name=${name}>
      ${options.map(([each, text]) => html`<option value=${each} selected=${each === value}>${text}</option>`)}
    </select>
  </p>`
}

type Area = {
  name: string
  label: string
  value?: string
  hint?: string
  isOptional?: boolean
  lang?: string
}

export function textArea({ name, label, value, hint, isOptional, lang }: Area): Markup {
  return html`<p class="field">
    <label for=${`field-${name}`}>${label}</label>
    <textarea id=${`field-${name}`} name=${name} rows="3" lang=${lang} required=${!isOptional} aria-describedby=${hint ? `hint-${name}` : undefined}>${value ?? ''}</textarea>
    ${hint ? html`<small id=${`hint-${name}`}>${hint}</small>` : null}
  </p>`
}

/**
 * A choice of a picture: on a phone the camera too. The script makes a large one smaller before it is sent. `chosen`: no page can carry
 * a file, so one that was chosen in the form before has to be chosen again.
 */
export function pictureField(
  { locale, chosen }: Pick<Visit, 'locale' | 'chosen'>,
  name: string,
  label: string,
): Markup {
  const accept = 'image/png,image/jpeg,image/webp,image/gif'
  const unread = translate(locale, 'photoUnread')
  const problem = chosen.includes(name) ? translate(locale, 'photoAgain') : null
  return fileField({ name, label, hint: translate(locale, 'productPhotoHint'), accept, unread, problem })
}

/** Of a picture. `unread`: what the script says about one that the browser cannot read. `problem`: what stands there at first. */
type Chosen = {
  name: string
  label: string
  hint: string
  accept: string
  isRequired?: boolean
  unread?: string
  problem?: string | null
}

/** `accept`: what the browser offers. The form must be sent as multipart/form-data. */
export function fileField({ name, label, hint, accept, isRequired, unread, problem }: Chosen): Markup {
  return html`<p class="field">
    <label for=${`field-${name}`}>${label}</label>
    <input id=${`field-${name}`} name=${name} type="file" accept=${accept} required=${isRequired} aria-describedby=${`hint-${name}`} data-photo=${unread} />
    <small id=${`hint-${name}`}>${hint}</small>
    ${unread === undefined ? null : html`<span role="status" class="wrong">${problem}</span>`}
  </p>`
}

export function tick(name: string, label: string, isOn = false): Markup {
  return html`<p class="tick">
    <input id=${`field-${name}`} name=${name} type="checkbox" value="yes" checked=${isOn} />
    <label for=${`field-${name}`}>${label}</label>
  </p>`
}

type Field = {
  name: string
  label: string
  type?: 'text' | 'email' | 'password' | 'search' | 'tel' | 'url'
  value?: string
  hint?: string
  autocomplete?: string
  inputmode?: string
  isOptional?: boolean
  lang?: string
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
  lang,
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
      lang=${lang}
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
  return html`<form method="post" action=${action} data-passkey=${how} data-failed=${translate(locale, 'passkeyFailed')} hidden>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    <input type="hidden" name="json" />
    <button class="button">${label}</button>
    <p role="status"></p>
  </form>`
}
