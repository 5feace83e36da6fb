import { say } from '../../messages/say.ts'
import { html, type Markup } from '../html.ts'
import type { Locale } from '../words/locale.ts'

/** A button that copies the text of the element `id`. `what` completes its name for screen readers. It needs the script. */
export function copyButton(locale: Locale, id: string, what: string): Markup {
  const copy = say(locale, 'install.copy')
  return html`<button
    type="button" class="copy" hidden data-copy=${id} aria-label=${`${copy}: ${what}`}
    data-copied=${say(locale, 'install.copied')} data-by-hand=${say(locale, 'install.copyByHand')}
  >${copy}</button>`
}
