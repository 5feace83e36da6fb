/** What a shop asks for a payment, from prices.json in its folder. The kits read the same file when they are tried out. */
import { readFileSync } from 'node:fs'
import type { FindShopPrice } from '../../orders/shop-price.ts'

type Price = { amountMinor: number; currency: string }
type Prices = Partial<Record<'orders' | 'products' | 'subscriptions', Record<string, Price>>>

export const priceFromFile: FindShopPrice = async (_, { reference, buyer }) => {
  const prices = JSON.parse(readFileSync('prices.json', 'utf8')) as Prices
  const { source, productId } = buyer?.metadata ?? {}
  const price =
    source === 'widget'
      ? prices.products?.[String(productId)]
      : source === 'subscription'
        ? prices.subscriptions?.[reference.replace(/\/\d+$/, '')]
        : prices.orders?.[reference]
  const isSale = source === 'widget'
  return price
    ? { ...price, title: null, productId: isSale ? String(productId) : null, quantity: 1, isOffered: true }
    : null
}
