/** A product as a page shows it: its name, description and picture in the page's language. */
import type { Context } from '../../context.ts'
import { textIn } from '../../merchants/branding.ts'
import type { ProductRecord } from '../../merchants/product.ts'
import { findSold } from '../../payments/attempts/sold-product.ts'
import { type ShownPicture, shownPicture } from '../brand/brand.ts'
import type { Locale } from '../words/locale.ts'

export type ShownProduct = { name: string; text?: string; picture?: ShownPicture }

export function shownProduct(
  { name, display = {} }: Pick<ProductRecord, 'name' | 'display'>,
  locale: Locale,
): ShownProduct {
  const { names, description, descriptions, picture } = display
  const text = descriptions?.[locale] ?? description
  return {
    name: textIn(locale, names, name),
    ...(text && { text }),
    ...(picture && { picture: shownPicture(picture, 'product') }),
  }
}

/** Returns how the page of a payment shows the product. Returns null if the registry does not know the product (any more). */
export async function findSoldProduct(
  ctx: Context,
  payment: Parameters<typeof findSold>[1],
  locale: Locale,
): Promise<ShownProduct | null> {
  const sold = await findSold(ctx, payment)
  if (!sold) return null
  const shown = shownProduct(sold.product, locale)
  return { ...shown, name: shown.name + sold.count }
}
