/** The product registry: what a widget may sell, and for how much. */
import type { Context } from '../context.ts'
import { findProduct, type ProductRecord, upsertProduct } from '../storage/products.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'

/** Creates the product or changes it. Payments made before keep their terms. */
export async function setProduct(ctx: Context, record: ProductRecord): Promise<ProductRecord> {
  await getMerchant(ctx, record.merchantId)
  await upsertProduct(ctx.db, record, ctx.clock.now())
  return record
}

/** The product, up to a second old; null when the merchant has none of that id. */
export const findProductCached = cached((ctx: Context, merchantId: string, id: string) =>
  findProduct(ctx.db, merchantId, id),
)
