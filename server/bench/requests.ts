import type { Request } from './load.ts'

/** Returns requests like a shop's. Each order has its own number, content and key. */
export function requests(
  cell: string,
  path: string,
  headers: Record<string, string>,
  provider = 'route_a',
): () => Request {
  let count = 0
  return () => {
    const order = `${cell}-${++count}`
    const body = JSON.stringify({
      merchantOrderId: order,
      amountMinor: 100 + (count % 900_000),
      currency: 'USD',
      provider,
      returnUrl: 'https://shop.example/thanks',
      customer: { email: `buyer-${count}@mail.example`, name: 'Anahit Petrosyan' },
      metadata: { cart: order, source: 'shop', items: 3 },
    })
    return { path, headers: { ...headers, 'Idempotency-Key': `attempt-of-${order}` }, body }
  }
}
