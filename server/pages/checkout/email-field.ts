/** Asks for the buyer's e-mail address, where the merchant wants one. */

import { refuseCardData } from '../../card-number/card-data.ts'
import { Customer } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../html.ts'
import type { Locale } from '../words/locale.ts'

const EMAIL_MAX_CHARS = 160
export const EXAMPLE = { example: 'ani@example.com' }

/** Present if the page asks. `typed`: the buyer's earlier input, if the form is shown again. */
export type AskedEmail = { typed?: string | undefined; isWrong?: boolean }

/** Returns the address, or null for invalid text. */
export function readEmail(typed: string): string | null {
  const text = typed.trim()
  const { success, data } = Customer.shape.email.safeParse(text)
  return success && data !== undefined && !holdsCard(text) ? data : null
}

/** Returns the text that the form shows again. It is never a card number that somebody typed into the wrong field. */
export function askAgain(typed = ''): AskedEmail {
  return { isWrong: true, ...(!holdsCard(typed) && { typed: typed.slice(0, EMAIL_MAX_CHARS) }) }
}

function holdsCard(text: string): boolean {
  try {
    refuseCardData(text, 'email')
    return false
  } catch (error) {
    if (error instanceof AppError) return true
    throw error
  }
}

export function emailField(locale: Locale, field: AskedEmail | undefined): Markup {
  if (!field) return null
  const { typed, isWrong = false } = field
  return html`<div class="field">
    <label for="email">${translate(locale, 'pages.email')}</label>
    <input id="email" name="email" type="email" autocomplete="email" inputmode="email" required maxlength=${EMAIL_MAX_CHARS}
      value=${typed} aria-describedby="email-hint" aria-invalid=${isWrong ? 'true' : undefined} autofocus=${isWrong} data-testid="email" />
    <small id="email-hint">${translate(locale, 'pages.emailHint')}</small>
  </div>`
}

export function emailAlert(locale: Locale, field: AskedEmail | undefined): Markup {
  return field?.isWrong
    ? html`<p class="alert" role="alert">${translate(locale, 'pages.emailRefused', EXAMPLE)}</p>`
    : null
}
