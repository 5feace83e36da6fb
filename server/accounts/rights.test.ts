/** What `account test` finds about each right is kept, and counts for what merchants may ask for. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readCapabilities } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { type StripeScene, setStripeScene, stripeSettings } from '../testing/providers/stripe-scene.ts'

let scene: StripeScene
let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  scene = await setStripeScene()
  kassa = await startKassa({ settings: stripeSettings('ROUTE_A', scene.server.origin) })
  shop = await openShop(kassa.ctx)
})
afterEach(() => scene.account.forbidden.clear())
afterAll(async () => {
  await kassa.close()
  await scene.close()
})

async function testAccount(): Promise<string> {
  const { id } = kassa.ctx.routes.route_a
  return (await operateHere(async () => kassa.ctx, ['account', 'test', '--account', id])).stdout
}
async function route() {
  const { body } = await readCapabilities(kassa.url, shop)
  return body.providers.find(({ id }: { id: string }) => id === 'route_a')
}
async function enabled(): Promise<string[]> {
  const { capabilities } = await route()
  const names = ['refund', 'capture', 'void', 'tokenization', 'subscriptions']
  return names.filter((name) => capabilities[name].enabled)
}

test('a right that is missing disables one operation, until a test shows that it is there', async () => {
  expect(await testAccount()).toMatch(/ok {7}The key may refund\./)
  expect(await enabled()).toEqual(['refund', 'capture', 'void', 'tokenization', 'subscriptions'])
  scene.account.forbidden.add('POST refunds').add('POST payment_methods/:id/detach')
  const text = await testAccount()
  expect(text).toMatch(
    /PROBLEM {2}The key may not refund\. Give it the permission "Charges and refunds: write"/,
  )
  expect(text).toMatch(/ok {7}The key may capture\./)
  expect(text).toMatch(/ok {7}This machine's clock agrees with the provider's\./)
  expect(await enabled()).toEqual(['capture', 'void', 'subscriptions'])
  expect((await route()).capabilities.refund.reason).toBe(
    'The payment provider does not allow this account to do this.',
  )
  expect((await route()).readiness.enabledForPaymentCreation).toBe(true)
  scene.account.forbidden.clear()
  await testAccount()
  expect(await enabled()).toEqual(['refund', 'capture', 'void', 'tokenization', 'subscriptions'])
})

test('a key that may not create payments makes the account refusing, until a test shows that it may', async () => {
  scene.account.forbidden.add('POST checkout/sessions')
  await testAccount()
  expect((await route()).readiness.enabledForPaymentCreation).toBe(false)
  // That the key is accepted is no sign that it may create payments.
  scene.account.forbidden.clear()
  scene.server.spoilNextWrite('busy')
  expect(await testAccount()).toMatch(/unknown {2}Whether the key may create payments could not be asked/)
  expect((await route()).readiness.enabledForPaymentCreation).toBe(false)
  await testAccount()
  expect((await route()).readiness.enabledForPaymentCreation).toBe(true)
})
