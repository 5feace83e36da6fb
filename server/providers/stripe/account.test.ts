/** Keys, addresses and modes of an account. */
import { describe, expect, test } from 'vitest'
import { STRIPE_KEY, setStripeScene } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { stripeDriver } from './driver.ts'
import { StripeSettings } from './settings.ts'

const scene = closeAfter(await setStripeScene())

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
