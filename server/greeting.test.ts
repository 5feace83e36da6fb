import { expect, test } from 'vitest'
import { greeting } from './greeting.ts'
import { openScene } from './testing/scene.ts'

const { kassa, shop } = await openScene()

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
