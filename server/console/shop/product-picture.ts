/** The photo of a product: small in the list, and whole on its own page. */
import type { ProductRecord } from '../../merchants/product.ts'
import { shownPicture } from '../../pages/brand/brand.ts'
import { html, type Markup } from '../../pages/html.ts'

/** A product without a photo has the first letter of its name there. */
export function thumbnail({ name, display }: ProductRecord): Markup {
  if (!display?.picture)
    return html`<span class="thumbnail" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>`
  const { address } = shownPicture(display.picture, 'product')
  return html`<img class="thumbnail" src=${address} alt="" width="56" height="56" loading="lazy" />`
}

export function bigPicture({ display }: ProductRecord): Markup {
  if (!display?.picture) return null
  const { address, width, height } = shownPicture(display.picture, 'product')
  return html`<img class="product-photo" src=${address} alt="" width=${width} height=${height} />`
}
