/**
 * Returns what you ask for a payment: `{ amountMinor, currency }`, or nothing. A payment that you created has your order's reference.
 * A payment of the button has the product in its metadata and a generated reference. A payment of a subscription has your reference for
 * it, a slash and the number of the period.
 */
import { existsSync, readFileSync } from 'node:fs'

// Only to try it out, with the file prices.json: {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}}, "products": {"tea":
// {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}. Ask your own database instead.
export async function findOrder({ merchantOrderId, metadata = {} }) {
  const prices = existsSync('prices.json') ? JSON.parse(readFileSync('prices.json', 'utf8')) : {}
  if (metadata.source === 'widget') return prices.products?.[metadata.productId]
  if (metadata.source === 'subscription') return prices.subscriptions?.[merchantOrderId.replace(/\/\d+$/, '')]
  return prices.orders?.[merchantOrderId]
}
