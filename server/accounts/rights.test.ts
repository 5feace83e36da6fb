/** What `account test` finds about each right is kept, and counts for what merchants may ask for. */
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { askOperation, createSession, lookUp, readCapabilities, sessionRequest } from '../testing/calls.ts'
import { operateHere } from '../testing/operator.ts'
import { openStripeShop, STRIPE_KEY } from '../testing/providers/stripe-scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { noteCallback } from './callbacks-seen.ts'
import { findAccount } from './choice.ts'

const { close, kassa, scene, shop } = await openStripeShop()
afterEach(() => scene.account.forbidden.clear())
afterAll(close)

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

// Any answer that the provider gives to the key ends the refusal, and so does the finding. Either of the two is enough.
test('a restricted key that may not read its account is accepted again as soon as it works', async () => {
  scene.account.forbidden.add('GET account')
  scene.account.keys.delete(STRIPE_KEY)
  await testAccount()
  expect((await route()).readiness.enabledForPaymentCreation).toBe(false)
  scene.account.keys.add(STRIPE_KEY)
  expect(await testAccount()).toMatch(/unknown {2}Stripe does not tell this key whose it is/)
  expect((await route()).readiness.enabledForPaymentCreation).toBe(true)
})

describe('what is known of the contract', () => {
  const show = async (...args: string[]) => {
    const { id } = kassa.ctx.routes.route_a
    const run = await operateHere(async () => kassa.ctx, ['account', 'show', '--account', id, ...args])
    return run.stdout.replaceAll(/ {2,}/g, '  ')
  }
  const facts = async () => JSON.parse(await show('--json')).facts
  const right = async (name: string) =>
    (await facts()).rights.find((each: { right: string }) => each.right === name)

  test('is shown with where it is from, and what nobody knows is no fact', async () => {
    await testAccount()
    expect(await right('refund')).toEqual({
      right: 'refund',
      state: 'granted',
      reason: 'The key may refund.',
      source: 'test',
      learnedAt: expect.any(String),
    })
    expect(await right('partial_refund')).toMatchObject({ state: 'assumed', source: null, learnedAt: null })
    const text = await show()
    expect(text).toMatch(/Refunds {2}granted \(account test, \d{4}-/)
    expect(text).toContain('Partial refunds  unknown: the provider has not shown it')
    expect(text).toContain('0.50 EUR to 999 999.99 EUR (as the provider documents)')
    expect(text).toMatch(/Time limits {2}5 s for each request of a question\n/)
  })

  test('has the callbacks: set up, and last seen', async () => {
    expect((await facts()).callbacks).toEqual({ setUp: true, lastSeenAt: null })
    expect(await show()).toContain('Calls back  set up, nothing has arrived yet')
    const account = await findAccount(kassa.ctx, kassa.ctx.routes.route_a.id)
    if (account) await noteCallback(kassa.ctx, account)
    expect(await show()).toMatch(/Calls back {2}set up, last seen \d{4}-/)
  })

  test('is learned from an answer of the provider too, and route list names it', async () => {
    const { body } = await createSession(kassa.url, shop, {
      key: 'facts-1',
      body: sessionRequest({ merchantOrderId: 'facts-1' }),
    })
    scene.buyer({ url: body.providerCheckoutUrl }, 'visa')
    expect((await lookUp(kassa.url, shop, body.id)).body.status).toBe('paid')
    scene.account.forbidden.add('POST refunds')
    await askOperation(kassa.url, shop, body.id, 'refunds', {
      key: 'facts-2',
      body: { amountMinor: body.amountMinor, reason: 'returned' },
    })
    await SWEEPS.moneyOperations(kassa.ctx)
    expect(await right('refund')).toMatchObject({ state: 'denied', source: 'answer' })
    expect(await show()).toMatch(/Refunds {2}refused \(the provider's answer, /)
    const { stdout } = await operateHere(async () => kassa.ctx, ['route', 'list'])
    expect(stdout).toMatch(/route_a .*999 999\.99 AMD.*the provider refuses refund/)
    // An old answer is not believed for ever, because nothing else shows that the provider has changed its mind.
    kassa.clock.advance(25 * 3_600_000)
    expect(await right('refund')).toMatchObject({ state: 'assumed' })
  })
})
