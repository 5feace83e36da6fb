/** A product as a page shows it: its name, description and picture in the page's language. */
import type { Context } from '../../../context.ts'
import { textIn } from '../../../merchants/branding.ts'
import { findProductCached, type ProductRecord } from '../../../merchants/product.ts'
import { type ShownPicture, shownPicture } from '../brand/brand.ts'
import type { Locale } from '../words/locale.ts'

export type ShownProduct = { name: string; text?: string; picture?: ShownPicture }

export function shownProduct(
  { name, looks = {} }: Pick<ProductRecord, 'name' | 'looks'>,
  locale: Locale,
): ShownProduct {
  const { names, description, descriptions, picture } = looks
  const text = descriptions?.[locale] ?? description
  return {
    name: textIn(locale, names, name),
    ...(text && { text }),
    ...(picture && { picture: shownPicture(picture, 'product') }),
  }
}

type Sold = { merchantId: string; description: string | null; metadata: Record<string, unknown> | null }

/**
 * Returns how the page of a payment shows the product that was bought. Null for a payment that was made without the registry, and
 * for a product that is gone or has another name by now: then the page shows what was bought in the words of that time.
 */
export async function findSoldProduct(
  ctx: Context,
  { merchantId, description, metadata }: Sold,
  locale: Locale,
): Promise<ShownProduct | null> {
  const productId = metadata?.productId
  if (metadata?.source !== 'widget' || typeof productId !== 'string') return null
  const product = await findProductCached(ctx, merchantId, productId)
  if (!product || !description?.startsWith(product.name)) return null
  const shown = shownProduct(product, locale)
  // What follows the name is how many.
  return { ...shown, name: shown.name + description.slice(product.name.length) }
}
