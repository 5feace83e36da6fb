/** The photo of a product: small in the list, whole on its own page, and stored with the product. */
import type { Context } from '../../context.ts'
import { readPicture } from '../../merchants/picture.ts'
import { type ProductRecord, setProduct } from '../../merchants/product.ts'
import { shownPicture } from '../../pages/brand/brand.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { OwnVisit } from '../page.ts'

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

/** Stores the product with the picture that was chosen. @throws AppError validation_failed */
export async function setWithPicture(
  ctx: Context,
  { file }: OwnVisit,
  product: ProductRecord,
  seen: string,
): Promise<void> {
  const chosen = file('picture')
  if (!chosen) return void (await setProduct(ctx, product, { seen }))
  const picture = await readPicture('product', chosen, 'picture')
  const display = { ...product.display, picture: picture.picture }
  await setProduct(ctx, { ...product, display }, { seen, picture })
}
