import { describe, expect, test } from 'vitest'
import { PROVIDER_ROUTES, type ProviderRoute } from '../../contract/fields.ts'
import { findSavedMethod } from '../../storage/saved-methods/saved-methods.ts'
import { openShop, SHOP_ORIGIN } from '../../testing/harness.ts'
import {
  createSubscription,
  createToken,
  openToken,
  revokeToken,
  subscriptionRequest,
  tokenRequest,
} from '../../testing/payments/subscriptions.ts'
import { openScene } from '../../testing/scene.ts'

const { kassa, shop } = await openScene()

const find = (id: string) => findSavedMethod(kassa.ctx.db, shop.merchantId, id)

describe('rejected requests', () => {
  const EXPECTED: Record<ProviderRoute, [number, string?]> = {
    route_a: [201],
    route_b: [201],
    route_c: [409, 'operation_disabled'],
    route_d: [501, 'operation_not_configured'],
    route_e: [422, 'provider_route_not_ready'],
    manual: [409, 'operation_disabled'],
  }

  test.each(PROVIDER_ROUTES)(
    'on %s an intent and a subscription get the response that its capabilities announce',
    async (route) => {
      const [status, code] = EXPECTED[route]
      const intent = await createToken(kassa.url, shop, { body: tokenRequest({ providerRoute: route }) })
      expect([intent.status, intent.body.error?.code]).toEqual([status, code])
      const tokenId =
        status === 201 ? await openToken(kassa.url, shop, 'saved', { providerRoute: route }) : 'pmt_0'
      const terms = { providerRoute: route, merchantSubscriptionId: `on-${route}` }
      const created = await createSubscription(kassa.url, shop, {
        body: subscriptionRequest(tokenId, terms),
      })
      expect([created.status, created.body.error?.code]).toEqual([status, code])
      if (status === 409)
        expect(created.body.error.operation).toMatchObject({ status: 'blocked', provider: route })
      if (status === 501)
        expect(created.body.error.operation).toMatchObject({ status: 'requires_provider_contract' })
    },
  )

  test.each([
    ['disabled', 409, 'operation_disabled'],
    ['not_configured', 501, 'operation_not_configured'],
  ])('a revocation is rejected if the route’s operations are now %s', async (OPERATIONS, status, code) => {
    const tokenId = await openToken(kassa.url, shop)
    const { route_a: route } = kassa.ctx.routes
    kassa.ctx.routes.route_a = { ...route, settings: { ...route.settings, OPERATIONS } }
    const answer = await revokeToken(kassa.url, shop, tokenId)
    kassa.ctx.routes.route_a = route
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect((await find(tokenId))?.status).toBe('active')
  })

  test('a subscription is rejected for an unknown or foreign token, and for one of another route or not active', async () => {
    const otherShop = await openShop(kassa.ctx)
    const foreign = await openToken(kassa.url, otherShop)
    const onB = await openToken(kassa.url, shop, 'saved', { providerRoute: 'route_b' })
    const { body: pending } = await createToken(kassa.url, shop)
    const revoked = await openToken(kassa.url, shop)
    await revokeToken(kassa.url, shop, revoked)
    const answers = []
    for (const tokenId of ['pmt_0', foreign, onB, pending.token.id, revoked]) {
      const { status, body } = await createSubscription(kassa.url, shop, {
        body: subscriptionRequest(tokenId),
      })
      answers.push([status, body.error.code])
    }
    const [notFound, notEligible] = [
      [404, 'token_not_found'],
      [409, 'payment_not_eligible'],
    ]
    expect(answers).toEqual([notFound, notFound, notEligible, notEligible, notEligible])
  })

  test('a second subscription with the same merchantSubscriptionId is rejected while the first one runs', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const body = subscriptionRequest(tokenId, { merchantSubscriptionId: 'twice' })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => createSubscription(kassa.url, shop, { body })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  test('card numbers are rejected in every text field of the endpoints', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const number = '4242424242424242'
    const intents = [
      { customerConsentId: number },
      { metadata: { note: number } },
      { metadata: { cvv: '123' } },
      { customer: { name: number } },
      { returnUrl: `${SHOP_ORIGIN}/?n=${number}` },
    ]
    for (const changes of intents) {
      const { status, body } = await createToken(kassa.url, shop, { body: tokenRequest(changes) })
      expect([changes, status, body.error.code]).toEqual([changes, 422, 'raw_card_data_rejected'])
      expect(JSON.stringify(body)).not.toContain(number)
    }
    const subscriptions = [
      { merchantSubscriptionId: number },
      { description: `card ${number}` },
      { paymentTokenId: number },
      { metadata: { deep: { note: number } } },
      { cardNumber: number },
    ]
    for (const changes of subscriptions) {
      const body = subscriptionRequest(tokenId, changes)
      const answer = await createSubscription(kassa.url, shop, { body })
      expect([changes, answer.status, answer.body.error.code]).toEqual([
        changes,
        422,
        'raw_card_data_rejected',
      ])
    }
    expect((await revokeToken(kassa.url, shop, number)).body.error.code).toBe('raw_card_data_rejected')
  })
})
