/** Tells a buyer, before the bank, that this browser has already begun to pay for the same product. */
import { translate } from '../../messages/translate.ts'
import type { Earlier } from '../buyer-cookies.ts'
import { html, type Markup } from '../html.ts'
import { ownOrWebAddress } from '../web-address.ts'
import type { Locale } from '../words/locale.ts'

export function earlierNotice(
  locale: Locale,
  earlier: Pick<Earlier, 'isPaid' | 'address'> | null | undefined,
): Markup {
  const address = earlier && ownOrWebAddress(`${earlier.address}?${new URLSearchParams({ locale })}`)
  if (!address) return null
  return html`<div class="alert" role="status" data-testid="earlier">
    <p>${translate(locale, earlier.isPaid ? 'pages.earlierPaid' : 'pages.earlierOpen')}</p>
    <a class="way" href=${address}>${translate(locale, earlier.isPaid ? 'pages.earlierShow' : 'pages.earlierContinue')}</a>
  </div>`
}
