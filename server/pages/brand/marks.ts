/** The merchant's marks on a page: the payee at the top, and the contact at the end. */
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../html.ts'
import { mailAddress, phoneAddress, webAddress } from '../web-address.ts'
import type { Locale } from '../words/locale.ts'
import type { Brand } from './brand.ts'

/** A letter may be several characters, such as one with a mark. */
function firstLetter(name: string): string {
  const [first] = new Intl.Segmenter().segment(name.trim())
  return first?.segment ?? ''
}

/** The logo, or else the first letter of the name. Both are decoration, because the name is beside them. */
export function shopMark({ name, logo }: Pick<Brand, 'name' | 'logo'>): Markup {
  return logo
    ? html`<img class="shop-logo" data-ground=${logo.ground} src=${logo.address} width=${logo.width} height=${logo.height} alt="" data-testid="logo" />`
    : html`<span class="shop-mark" aria-hidden="true">${firstLetter(name)}</span>`
}

/** Shows the shop at the top of its page. `label`: the shop's part on this page, such as the payee. */
export function shopHead(brand: Pick<Brand, 'name' | 'logo'>, label?: string): Markup {
  return html`<header class="shop">
    ${shopMark(brand)}
    <p>${label ? html`<span class="label">${label}</span> ` : null}<bdi class="shop-name">${brand.name}</bdi></p>
  </header>`
}

/** Returns null if the merchant has given no contact. */
export function shopContact(locale: Locale, brand: Brand | undefined): Markup {
  if (!brand) return null
  const { name, phone, email, taxNumber } = brand
  const [site, terms] = [webAddress(brand.site), webAddress(brand.termsUrl)]
  const ways = [
    phone && html`<li><a class="way" href=${phoneAddress(phone)}>${phone}</a></li>`,
    email && html`<li><a class="way" href=${mailAddress(email)}>${email}</a></li>`,
    site &&
      html`<li><a class="way" href=${site} rel="noopener">${new URL(site).host.replace(/^www\./, '')}</a></li>`,
  ].filter(Boolean)
  const facts = [
    taxNumber && html`<li>${translate(locale, 'pages.taxNumber')} <bdi>${taxNumber}</bdi></li>`,
    terms &&
      html`<li><a class="way" href=${terms} rel="noopener">${translate(locale, 'pages.terms')}</a></li>`,
  ].filter(Boolean)
  if (ways.length + facts.length === 0) return null
  return html`<section class="contact" data-testid="contact" aria-label=${translate(locale, 'pages.contactLabel', { name })}>
    ${ways.length > 0 ? html`<p>${translate(locale, 'pages.contactTitle')}</p><ul>${ways}</ul>` : null}
    ${facts.length > 0 ? html`<ul class="small">${facts}</ul>` : null}
  </section>`
}
