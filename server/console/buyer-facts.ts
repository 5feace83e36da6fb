/** What the buyer wrote, as facts. A telephone number and an e-mail address can be tapped. */
import { html, type Markup } from '../pages/html.ts'
import { type BuyerPart, buyerParts } from '../pages/orders/order-rows.ts'
import { mailAddress, phoneAddress } from '../pages/web-address.ts'
import type { Locale } from '../pages/words/locale.ts'
import type { FactLine } from './parts.ts'

export const buyerFacts = (written: Parameters<typeof buyerParts>[0], locale: Locale): FactLine[] =>
  buyerParts(written, locale).map((part) => [part.label, tapped(part)])

/** What somebody wrote may run from right to left, and must not turn what stands beside it. */
function tapped({ name, text }: BuyerPart): Markup {
  if (name === 'email') return html`<a href=${mailAddress(text)}>${text}</a>`
  if (name === 'phone' && /\d/.test(text)) return html`<a href=${phoneAddress(text)}>${text}</a>`
  return html`<bdi>${text}</bdi>`
}
