/** Saving PayPal accounts needs PayPal's approval: it is off until the operator says that PayPal has granted it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCapabilities } from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { createToken } from '../../testing/payments/subscriptions.ts'
import { type PaypalScene, setPaypalScene } from '../../testing/providers/paypal-scene.ts'

let scene: PaypalScene
const requests: string[] = []
beforeAll(async () => {
  scene = await setPaypalScene({
    settings: { ROUTE_A_SAVED_METHODS: 'disabled' },
    onRequest: ({ method, url }) => requests.push(`${method} ${url}`),
  })
})
afterAll(() => scene.close())

const isVault = (request: string) => request.includes('/v3/vault/')
/** Changes the setting, as a restart with another environment does. */
function set(SAVED_METHODS: 'enabled' | 'disabled'): void {
  const { ctx } = scene.kassa
  const { route_a: route } = ctx.routes
  ctx.routes.route_a = { ...route, settings: { ...route.settings, SAVED_METHODS } }
}
async function capabilities() {
  const { providers } = (await readCapabilities(scene.kassa.url, scene.shop)).body
  return providers.find(({ id }: { id: string }) => id === 'route_a').capabilities
}
async function findings(): Promise<string> {
  const run = await operateHere(
    async () => scene.kassa.ctx,
    ['account', 'test', '--account', scene.accountId],
  )
  return run.stdout
}

test('without the setting no account is saved, and the capabilities say why', async () => {
  const { tokenization, subscriptions, refund } = await capabilities()
  const reason =
    'Not enabled for this route: the provider must first allow it to save payment methods. See the setting ROUTE_A_SAVED_METHODS.'
  expect([tokenization, subscriptions, refund]).toEqual([
    { supported: true, enabled: false, reason },
    { supported: true, enabled: false, reason },
    { supported: true, enabled: true },
  ])
  const { status, body } = await createToken(scene.kassa.url, scene.shop)
  expect([status, body.error.code, requests.filter(isVault)]).toEqual([409, 'operation_disabled', []])
})

test('if PayPal has not granted it, a saving is refused, a repetition does not help, and account test says so', async () => {
  set('enabled')
  scene.server.account.maySave = false
  scene.server.account.accessTokens.clear()
  const { status, body, headers } = await createToken(scene.kassa.url, scene.shop)
  expect([status, body.error, headers.get('retry-after')]).toEqual([
    503,
    {
      code: 'provider_unavailable',
      message: 'The payment provider does not let this account save payment methods.',
      requestId: expect.any(String),
      hint: 'Ask whoever runs your payment service.',
      retryable: false,
    },
    null,
  ])
  expect(await findings()).toMatch(/ok {7}PayPal does not say whether the app may save PayPal accounts/)
  scene.server.paypal.world.isFull = true
  expect(await findings()).toMatch(/PROBLEM {2}PayPal has not granted this app to save PayPal accounts/)
})

test('if PayPal has granted it, an account can be saved, and account test says so', async () => {
  scene.server.account.maySave = true
  scene.server.account.accessTokens.clear()
  expect((await createToken(scene.kassa.url, scene.shop)).status).toBe(409)
  expect(await findings()).toMatch(/ok {7}PayPal lets the app save PayPal accounts\./)
  expect((await createToken(scene.kassa.url, scene.shop)).status).toBe(201)
})
