/** The photo of a product: small in the list, and whole on its own page. */
import type { ProductRecord } from '../../merchants/product.ts'
import { shownPicture } from '../../pages/brand/brand.ts'
import { html, type Markup } from '../../pages/html.ts'

export function thumbnail({ display }: ProductRecord): Markup {
  if (!display?.picture) return html`<span class="thumbnail" aria-hidden="true"></span>`
  const { address } = shownPicture(display.picture, 'product')
  return html`<img class="thumbnail" src=${address} alt="" width="56" height="56" loading="lazy" />`
}

export function bigPicture({ display }: ProductRecord): Markup {
  if (!display?.picture) return null
  const { address, width, height } = shownPicture(display.picture, 'product')
  return html`<img class="product-photo" src=${address} alt="" width=${width} height=${height} />`
}
