import { html, type Markup } from '../html.ts'
import { sayInstall } from '../words/install-messages.ts'
import type { Locale } from '../words/locale.ts'

/** A button that copies the text of the element `id`. `what` completes its name for screen readers. It needs the script. */
export function copyButton(locale: Locale, id: string, what: string): Markup {
  const copy = sayInstall(locale, 'copy')
  return html`<button
    type="button" class="copy" hidden data-copy=${id} aria-label=${`${copy}: ${what}`}
    data-copied=${sayInstall(locale, 'copied')} data-by-hand=${sayInstall(locale, 'copyByHand')}
  >${copy}</button>`
}
