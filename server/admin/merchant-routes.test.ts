/** The routes between which buyers choose, as an operator sets them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'

let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

async function routes(...args: string[]) {
  const words = ['merchant', 'routes', '--merchant', shop.merchantId, ...args, '--json']
  const { code, stdout, stderr } = await operateHere(async () => kassa.ctx, words)
  return { code, answer: stdout ? JSON.parse(stdout) : null, stderr }
}

test('are set with their labels, shown with their readiness, and removed', async () => {
  const given = ['--route', 'route_a=Card', '--label-ru', 'route_a=Карта', '--route', 'route_e=Wallet']
  const set = [
    { route: 'route_a', label: 'Card', labels: { ru: 'Карта' }, ready: true },
    { route: 'route_e', label: 'Wallet', ready: false },
  ]
  expect(await routes(...given)).toMatchObject({ code: 0, answer: { routes: set } })
  expect(await routes()).toMatchObject({ code: 0, answer: { routes: set } })
  expect((await routes('--remove')).answer.routes).toEqual([])
})

test.each([
  [['--route', 'route_z=Card']],
  [['--route', 'route_a']],
  [['--route', 'route_a=']],
  [['--route', `route_a=${'x'.repeat(61)}`]],
  [['--route', 'route_a=Card', '--route', 'route_a=Other']],
  [['--route', 'route_a=Card', '--route', 'route_b=Card']],
  [['--route', 'route_a=Card', '--label-ru', 'route_b=Карта']],
])('%j is refused, and changes nothing', async (given) => {
  expect((await routes(...given)).code).not.toBe(0)
  expect((await routes()).answer.routes).toEqual([])
})
