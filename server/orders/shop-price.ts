/** What the shop asks for a payment, and for what: from its products, or as the link or the shop's own program said. */
import type { Context } from '../context.ts'
import { mayBeSold } from '../merchants/sale-terms.ts'
import { findProduct } from '../storage/merchants/products.ts'
import type { OrderPayment } from '../storage/orders/payments.ts'
import { findPayment } from '../storage/payments/payments.ts'
import type { ShopPrice } from './decide.ts'

export type FindShopPrice = (ctx: Context, payment: OrderPayment) => Promise<ShopPrice | null>

export async function findShopPrice(ctx: Context, payment: OrderPayment): Promise<ShopPrice | null> {
  const { merchantId, paymentId, amountMinor, currency } = payment
  const stored = await findPayment(ctx.db, merchantId, paymentId)
  const title = stored?.description ?? null
  const productId = stored?.productId ?? null
  // The person or program that made the link or the session has decided the amount. Nobody else could change it.
  if (productId === null)
    return { amountMinor, currency, title, productId: null, quantity: 1, isOffered: true }
  const quantity = stored?.quantity ?? 1
  const product = await findProduct(ctx.db, merchantId, productId)
  const sold = { productId, quantity }
  if (!product) return { amountMinor, currency, title, ...sold, isOffered: false }
  const fits = mayBeSold(product, { amountMinor: amountMinor / quantity, quantity })
  const priceMinor = fits ? amountMinor : product.amountMinor * quantity
  return {
    amountMinor: priceMinor,
    currency: product.currency,
    title: product.name,
    ...sold,
    isOffered: true,
  }
}
