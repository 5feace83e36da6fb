/** A renewal on which the provider works for longer than a day: an announced charge at Stripe, an eCheck at PayPal. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import {
  cancelSubscription,
  chargesOf,
  createSubscription,
  createToken,
  subscriptionRequest,
  sweep,
  tokenRequest,
} from '../../testing/payments/subscriptions.ts'
import { type BothProviders, ROUTES, setBothProviders } from '../../testing/providers/both-providers.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import type { CardName } from '../../testing/providers/stripe/cards.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const HOUR_MS = 3_600_000

/** `hoursAtOnce`: the clock moves by so much before the due questions are asked. */
export function testUnderWayRenewals({ hoursAtOnce }: { hoursAtOnce: number }): void {
  let scene: BothProviders
  beforeAll(async () => {
    scene = await setBothProviders()
  })
  afterAll(() => scene.close())
  // Else each test would charge the subscriptions of those before it, every day.
  afterEach(() => scene.kassa.ctx.db.query('update sandbox.subscriptions set due_at = null'))

  async function passHours(hours: number): Promise<void> {
    for (let left = hours; left > 0; left -= hoursAtOnce) {
      const ms = Math.min(left, hoursAtOnce) * HOUR_MS
      scene.kassa.clock.advance(ms)
      await scene.stripe.later(ms)
      scene.paypal.paypal.work()
      await SWEEPS.statusSync(scene.kassa.ctx)
      await sweep(scene.kassa)
    }
  }

  let boxes = 0
  /** A daily subscription whose first charge is sent. `description` names the fault at PayPal. */
  async function subscribe(
    provider: keyof typeof ROUTES,
    tokenId: string,
    description = 'Tea',
  ): Promise<string> {
    const changes = { interval: 'day', providerRoute: ROUTES[provider], description }
    const body = subscriptionRequest(tokenId, { merchantSubscriptionId: `slow-${++boxes}`, ...changes })
    const answer = await createSubscription(scene.kassa.url, scene.shop, { body })
    expect(answer.status).toBe(201)
    await sweep(scene.kassa)
    return answer.body.subscription.id
  }
  async function atStripe(card: CardName): Promise<string> {
    const { body } = await createToken(scene.kassa.url, scene.shop)
    scene.stripe.buyer({ url: body.setupUrl }, card)
    await fetch(scene.stripe.sessionAt({ url: body.setupUrl }).success_url ?? '', { redirect: 'manual' })
    return subscribe('stripe', body.token.id)
  }
  async function atPaypal(fault: 'echeck_clears' | 'echeck_fails'): Promise<string> {
    const request = tokenRequest({ providerRoute: 'route_b' })
    const { body } = await createToken(scene.kassa.url, scene.shop, { body: request })
    await fetch(await actAsBuyer(body.setupUrl, 'pay'), { redirect: 'manual' })
    return subscribe('paypal', body.token.id, `simulate:${fault}`)
  }
  const charges = (id: string) => chargesOf(scene.kassa, id)
  const subscription = (id: string) => findSubscription(scene.kassa.ctx.db, scene.shop.merchantId, id)
  async function states(id: string): Promise<string[]> {
    const { rows } = await scene.kassa.ctx.db.query<{ state: string }>(
      'select state from sandbox.subscription_charges where subscription_id = $1 order by period, attempt',
      [id],
    )
    return rows.map(({ state }) => state)
  }
  const CASES = [
    {
      provider: 'stripe',
      accepts: () => atStripe('saved_then_announced'),
      refuses: () => atStripe('saved_then_announced_declines'),
      hours: 26,
    },
    {
      provider: 'paypal',
      accepts: () => atPaypal('echeck_clears'),
      refuses: () => atPaypal('echeck_fails'),
      hours: 6 * 24,
    },
  ] as const

  describe.each(CASES)('a charge on which $provider works', ({ accepts, refuses, hours }) => {
    test('leaves its period unpaid, and nothing else is charged until the provider accepts', async () => {
      const id = await accepts()
      const before = await subscription(id)
      await passHours(hours - 2)
      expect([await charges(id), await states(id)]).toEqual([['pending_payment'], ['open']])
      expect(await subscription(id)).toMatchObject({ status: before?.status, period: 1, nextChargeAt: null })
      await passHours(26)
      expect((await charges(id))[0]).toBe('paid')
      expect((await states(id))[0]).toBe('paid')
    })

    test('is no decline until the provider refuses: then the dunning begins', async () => {
      const id = await refuses()
      await passHours(hours - 2)
      expect([await charges(id), (await subscription(id))?.status]).not.toContain('past_due')
      expect(await charges(id)).toEqual(['pending_payment'])
      await passHours(12)
      expect((await charges(id))[0]).toBe('failed')
      expect((await subscription(id))?.status).toBe('past_due')
    })

    test('is left alone by a cancellation, and its money counts', async () => {
      const id = await accepts()
      await passHours(2)
      expect((await cancelSubscription(scene.kassa.url, scene.shop, id)).status).toBe(201)
      await passHours(hours + 16)
      expect([await charges(id), await states(id)]).toEqual([['paid'], ['paid']])
      expect((await subscription(id))?.status).toBe('cancelled')
    })
  })
}
