/** Saving PayPal accounts needs PayPal's approval: it is off until the operator says that PayPal has granted it. */
import { expect, test } from 'vitest'
import { readCapabilities } from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { createToken } from '../../testing/payments/subscriptions.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { closeAfter } from '../../testing/scene.ts'

const requests: string[] = []
const scene = closeAfter(
  await setPaypalScene({
    settings: { ROUTE_A_SAVED_METHODS: 'disabled' },
    onRequest: ({ method, url }) => requests.push(`${method} ${url}`),
  }),
)

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
  expect(await findings()).toMatch(
    /unknown {2}PayPal does not say whether the app may save PayPal accounts\./,
  )
  scene.server.paypal.world.isFull = true
  expect(await findings()).toMatch(
    /PROBLEM {2}PayPal has not granted this app to save PayPal accounts\. Ask for "Vault"/,
  )
})

test('if PayPal has granted it, an account can be saved, and account test says so', async () => {
  scene.server.account.maySave = true
  scene.server.account.accessTokens.clear()
  expect((await createToken(scene.kassa.url, scene.shop)).status).toBe(409)
  expect(await findings()).toMatch(/ok {7}PayPal lets the app save PayPal accounts\./)
  expect((await createToken(scene.kassa.url, scene.shop)).status).toBe(201)
})

test('account test goes by the scopes of the app for each right, and says what it does not know', async () => {
  const rights = async () =>
    (await findings())
      .split('\n')
      .filter((each) => / (lets the app|granted this app|say whether the app) /.test(each))
  expect((await rights()).map((each) => each.trim().replaceAll(/ {2,}/g, ' '))).toEqual([
    'ok PayPal lets the app create payments.',
    'ok PayPal lets the app refund.',
    'ok PayPal lets the app capture holds.',
    'ok PayPal lets the app void holds.',
    'ok PayPal lets the app save PayPal accounts.',
  ])
  scene.server.account.mayRefund = false
  expect(await rights()).toContainEqual(
    expect.stringMatching(/PROBLEM {2}PayPal has not granted this app to refund\./),
  )
  expect((await capabilities()).refund).toMatchObject({ enabled: false })
  // A token without a list of scopes says nothing about a right.
  scene.server.paypal.world.isFull = false
  expect(await rights()).toContainEqual(
    expect.stringMatching(/unknown {2}PayPal does not say whether the app may refund\./),
  )
  expect((await capabilities()).refund).toMatchObject({ enabled: false })
  expect((await capabilities()).capture).toMatchObject({ enabled: true })
  scene.server.account.mayRefund = true
  scene.server.paypal.world.isFull = true
  await findings()
  expect((await capabilities()).refund).toMatchObject({ enabled: true })
})
