/** `ROUTE_x_SHARED` and `SANDBOX_ROUTE_x_SHARED`: who may use an account of the deployment. */
import { expect, test } from 'vitest'
import { createSession, readCapabilities, sessionRequest } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { onboard, openTwoWorlds } from '../testing/scene/live.ts'

const { kassa } = await openTwoWorlds({
  ROUTE_A_DRIVER: 'manual',
  ROUTE_A_SHARED: 'true',
  ROUTE_B_DRIVER: 'manual',
  SANDBOX_ROUTE_A_DRIVER: 'sandbox',
  SANDBOX_ROUTE_A_SHARED: 'false',
  SANDBOX_ROUTE_B_DRIVER: 'sandbox',
})
const late = {
  sandbox: await openShop(kassa.ctx),
  live: await openShop(kassa.live, { onboard: (merchantId) => onboard(kassa, merchantId) }),
}

let orders = 0
async function create(shop: Shop, provider: string): Promise<number> {
  const key = `shared-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, provider })
  return (await createSession(kassa.url, shop, { key, body })).status
}
async function isOpen(shop: Shop, route: string): Promise<boolean> {
  const { providers } = (await readCapabilities(kassa.url, shop)).body
  return providers.find(({ id }: { id: string }) => id === route).readiness.enabledForPaymentCreation
}

test('in the live world an account is open to every merchant with true, and closed without the setting', async () => {
  expect([await isOpen(late.live, 'route_a'), await create(late.live, 'route_a')]).toEqual([true, 201])
  expect([await isOpen(late.live, 'route_b'), await create(late.live, 'route_b')]).toEqual([false, 422])
})

test('in the sandbox an account is closed with false, and open to every merchant without the setting', async () => {
  expect([await isOpen(late.sandbox, 'route_a'), await create(late.sandbox, 'route_a')]).toEqual([false, 422])
  expect([await isOpen(late.sandbox, 'route_b'), await create(late.sandbox, 'route_b')]).toEqual([true, 201])
})
