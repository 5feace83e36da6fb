import { afterAll, beforeAll, expect, test } from 'vitest'
import { greeting } from './greeting.ts'
import { type Kassa, openShop, type Shop, startKassa } from './testing/harness.ts'

let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

const greet = (driverName: string) => {
  const { routes } = kassa.ctx
  const ctx = { ...kassa.ctx, routes: { ...routes, route_a: { ...routes.route_a, driverName } } }
  const started = {
    dataDir: '.',
    console: null,
    restored: [],
    seconds: '1.0',
    serves: true,
    works: true,
  }
  return greeting({ ...started, ctx, demo: shop })
}

test('says how to look at the order book of the demo, and names the simulated bank only where it is', () => {
  expect(greet('sandbox')).toContain(`order list --merchant ${shop.merchantId}`)
  expect(greet('sandbox')).toContain('simulated bank')
  expect(greet('sandbox')).toContain(`callback set --merchant ${shop.merchantId} --url http`)
  expect(greet('stripe')).not.toContain('simulated bank')
})
