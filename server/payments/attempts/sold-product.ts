/** The product that a payment sells, as the registry knows it now. */
import type { Context } from '../../context.ts'
import { textIn } from '../../merchants/branding.ts'
import { findProductCached, type ProductRecord } from '../../merchants/product.ts'
import type { Language } from '../../storage/merchants/branding.ts'
import type { Payment } from '../../storage/payments/payment.ts'

type Sold = Pick<Payment, 'merchantId' | 'description' | 'productId'>

/** `count`: the text behind the name for several pieces, such as ` × 2`. */
export type SoldProduct = { product: ProductRecord; count: string }

/**
 * Returns null for a payment that was made without the registry, and for a product that is gone or has another name by now: what
 * was bought is then known only in the words of that time.
 */
export async function findSold(
  ctx: Context,
  { merchantId, description, productId }: Sold,
): Promise<SoldProduct | null> {
  if (productId === null) return null
  const product = await findProductCached(ctx, merchantId, productId)
  if (!product || !description?.startsWith(product.name)) return null
  return { product, count: description.slice(product.name.length) }
}

/** Returns what the payment is for, in this language where the product has a name in it. */
export async function descriptionIn(
  ctx: Context,
  payment: Sold,
  language: Language | null,
): Promise<string | null> {
  const sold = language && (await findSold(ctx, payment))
  if (!sold) return payment.description
  const { product, count } = sold
  return textIn(language, product.display?.names, product.name) + count
}
