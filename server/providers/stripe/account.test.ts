/** Keys, addresses, and the results of `account test`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STRIPE_KEY, type StripeScene, setStripeScene } from '../../testing/providers/stripe-scene.ts'
import { stripeDriver } from './driver.ts'
import { EVENTS } from './inbound.ts'
import { StripeSettings } from './settings.ts'

let scene: StripeScene
beforeAll(async () => {
  scene = await setStripeScene()
})
afterAll(() => scene.close())

describe('an account', () => {
  const settings = { ACCOUNT: 'acct_somebody1', SECRET_KEY: 'sk_live_12345678' }
  test('with a live key cannot be pointed elsewhere', () => {
    const parsed = StripeSettings.safeParse({ ...settings, API_BASE: 'https://elsewhere.example' })
    expect(parsed.error?.issues.map(({ path }) => path.join())).toEqual(['API_BASE'])
    expect(stripeDriver.addresses?.(StripeSettings.parse(settings))).toEqual(['https://api.stripe.com'])
    const plain = { ...settings, SECRET_KEY: 'sk_test_12345678', API_BASE: 'http://elsewhere.example' }
    expect(StripeSettings.safeParse(plain).success).toBe(false)
  })

  test('recognizes test and live keys, and rejects publishable keys', () => {
    for (const [key, mode] of [
      ['sk_live_12345678', 'live'],
      ['rk_live_12345678', 'live'],
      ['sk_test_12345678', 'test'],
      ['rk_test_12345678', 'test'],
    ] as const)
      expect(stripeDriver.modeOf?.(StripeSettings.parse({ ...settings, SECRET_KEY: key }))).toBe(mode)
    expect(StripeSettings.safeParse({ ...settings, SECRET_KEY: 'pk_test_12345678' }).success).toBe(false)
  })

  test('ignores every object of the other mode', async () => {
    const given = scene.attempt()
    const opened = await scene.start(given)
    const session = scene.sessionAt(opened)
    session.livemode = true
    await expect(scene.look({ reference: given.reference, state: opened.state })).rejects.toThrow(
      'this test account with an object of live mode',
    )
  })

  test('of the live world ignores every object of test mode', async () => {
    const given = scene.attempt()
    const { state } = await scene.start(given)
    const order = { reference: given.reference, state }
    await expect(scene.look(order, scene.callWith({}, true))).rejects.toThrow(
      'this live account with an object of test mode',
    )
  })

  test('is checked in plain words', async () => {
    const check = async (changes: object, live = false) =>
      (await stripeDriver.check?.(scene.callWith(changes, live)))?.map(
        ({ ok, message }) => `${ok} ${message}`,
      )
    expect(await check({})).toEqual([
      'true Stripe accepts the key: a test key of acct_simulatedScene.',
      'true Stripe sends events to /callbacks/acc_test_scene.',
    ])
    expect(await check({ ACCOUNT: 'acct_ofSomebodyElse' })).toContainEqual(
      expect.stringMatching(
        /^false The key belongs to the Stripe account acct_simulatedScene, and ACCOUNT says/,
      ),
    )
    expect(await check({ SECRET_KEY: 'sk_test_wrong_wrong' })).toEqual([
      expect.stringMatching(/^false Stripe refuses the key in SECRET_KEY/),
    ])
    expect(await check({ WEBHOOK_SECRET: undefined })).toContainEqual(
      expect.stringMatching(/^false WEBHOOK_SECRET is not set/),
    )
    expect(await check({}, true)).toContainEqual('false This is a test key in the live world.')
    scene.endpoint.events = scene.endpoint.events.slice(1)
    expect(await check({})).toContainEqual(
      expect.stringMatching(/^false .* does not send charge\.dispute\.closed/),
    )
  })

  test('is checked in plain words with an endpoint that gets thin events', async () => {
    const check = async () => (await stripeDriver.check?.(scene.callWith()))?.slice(1)
    const { events } = scene.endpoint
    Object.assign(scene.endpoint, { style: 'thin', events: EVENTS.map((type) => `v1.${type}`) })
    expect(await check()).toEqual([
      { ok: true, message: 'Stripe sends events to /callbacks/acc_test_scene.' },
    ])
    scene.endpoint.events = ['v1.charge.refunded']
    expect(await check()).toContainEqual({
      ok: false,
      message: expect.stringMatching(/does not send v1\.charge\.dispute\.closed/),
    })
    scene.endpoint.url = 'https://kassa.example/callbacks/acc_another'
    expect(await check()).toEqual([
      { ok: false, message: expect.stringMatching(/^No webhook endpoint at Stripe/) },
    ])
    const url = 'https://kassa.example/callbacks/acc_test_scene'
    Object.assign(scene.endpoint, { style: 'snapshot', events, url })
  })

  test('whose key has expired gets no result, and nothing is done', async () => {
    const paid = await scene.pay()
    scene.account.keys.delete(STRIPE_KEY)
    scene.account.expiredKeys.add(STRIPE_KEY)
    const write = { ...paid, key: 'expired', amountMinor: 700, reason: null }
    await expect(stripeDriver.refund?.(scene.callWith(), write)).rejects.toThrow(
      'does not accept the secret key',
    )
    await expect(scene.look(paid)).rejects.toThrow('does not accept the secret key')
    scene.account.keys.add(STRIPE_KEY)
    expect((await scene.look(paid)).snapshot.refundedMinor).toBe(0)
  })
})
