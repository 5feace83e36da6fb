import { describe, expect, test } from 'vitest'
import { recallHealth } from '../../accounts/health.ts'
import { PROVIDER_ROUTES, type ProviderRoute } from '../../contract/fields.ts'
import { referenceOf } from '../../id.ts'
import { UnreadableError } from '../../providers/driver/refusal.ts'
import { findOperation } from '../../storage/payments/operations.ts'
import { findSavedMethod } from '../../storage/saved-methods/saved-methods.ts'
import { readPage } from '../../testing/calls.ts'
import { openShop, SHOP_ORIGIN } from '../../testing/harness.ts'
import {
  chooseCard,
  createSubscription,
  createToken,
  openToken,
  revokeToken,
  saveCard,
  subscriptionRequest,
  sweep,
  tokenRequest,
} from '../../testing/payments/subscriptions.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { openScene } from '../../testing/scene.ts'
import { askProviderAboutMethod } from './ask.ts'

const { kassa, shop } = await openScene()

const find = (id: string) => findSavedMethod(kassa.ctx.db, shop.merchantId, id)

describe('saving a card', () => {
  test('sends the buyer back to the merchant with the token’s id, and the token is active because the bank confirms it', async () => {
    const body = tokenRequest({
      customer: { email: 'ani@example.com' },
      returnUrl: `${SHOP_ORIGIN}/cards?a=1`,
    })
    const { status, body: intent } = await createToken(kassa.url, shop, { key: 'save', body })
    expect([status, intent]).toMatchObject([
      201,
      {
        ok: true,
        created: true,
        operation: { type: 'tokenization_intent', status: 'processing' },
        token: { status: 'pending', providerRoute: 'route_a', customerConsentId: 'consent-7' },
      },
    ])
    expect(intent.token.card).toBeUndefined()
    expect(await saveCard(intent.setupUrl, 'saved')).toBe(
      `${SHOP_ORIGIN}/cards?a=1&tokenId=${intent.token.id}`,
    )
    const { status: again, headers, body: now } = await createToken(kassa.url, shop, { key: 'save', body })
    expect([again, headers.get('x-idempotent-replay'), now.setupUrl]).toEqual([200, 'true', intent.setupUrl])
    expect(now).toMatchObject({
      created: false,
      operation: { id: intent.operation.id, status: 'succeeded' },
      token: {
        id: intent.token.id,
        status: 'active',
        card: { brand: 'visa', last4: '4242', expiry: '2034-12' },
      },
    })
    expect(now.token.customer).toEqual({ email: 'ani@example.com' })
  })

  test('saves nothing if the buyer cancels, also if the form is then sent again with a card', async () => {
    const { body: intent } = await createToken(kassa.url, shop)
    await saveCard(intent.setupUrl, 'cancelled')
    await saveCard(intent.setupUrl, 'saved')
    const token = await find(intent.token.id)
    expect(token).toMatchObject({ status: 'cancelled', card: null, dueAt: null })
    expect(await findOperation(kassa.ctx.db, shop.merchantId, intent.operation.id)).toMatchObject({
      status: 'failed',
      statusReason: 'the buyer saved no card',
    })
  })

  test('does not need the buyer to come back, because the worker asks the bank on schedule', async () => {
    const { body: intent } = await createToken(kassa.url, shop)
    await chooseCard(intent.setupUrl, 'saved')
    expect((await find(intent.token.id))?.status).toBe('pending')
    kassa.clock.advance(11_000)
    await sweep(kassa)
    expect((await find(intent.token.id))?.status).toBe('active')
  })

  test('a forged return changes nothing', async () => {
    const { body: intent } = await createToken(kassa.url, shop)
    const back = `${kassa.url}/payment-method-tokens/${intent.token.id}/return?status=active&outcome=saved`
    expect((await fetch(back, { redirect: 'manual' })).status).toBe(303)
    expect((await find(intent.token.id))?.status).toBe('pending')
    expect((await readPage(`${kassa.url}/payment-method-tokens/pmt_0/return`)).status).toBe(404)
  })

  test('fails if no card is saved in time, and no card can be saved later', async () => {
    const { body: intent } = await createToken(kassa.url, shop)
    kassa.clock.advance(89 * 60_000)
    await sweep(kassa)
    expect((await find(intent.token.id))?.status).toBe('pending')
    kassa.clock.advance(16 * 60_000)
    await sweep(kassa)
    expect((await find(intent.token.id))?.status).toBe('failed')
    await saveCard(intent.setupUrl, 'saved')
    expect((await find(intent.token.id))?.status).toBe('failed')
    expect((await readPage(intent.setupUrl)).html).toContain('data-state="done"')
  })

  test('without a returnUrl shows the result on our own page, in the buyer’s language', async () => {
    for (const [outcome, kind] of [
      ['saved', 'token_active'],
      ['cancelled', 'token_none'],
    ] as const) {
      const { body: intent } = await createToken(kassa.url, shop, {
        body: tokenRequest({ returnUrl: undefined }),
      })
      const page = await readPage(await chooseCard(intent.setupUrl, outcome), 'hy')
      expect([page.status, page.html.includes(`data-kind="${kind}"`)]).toEqual([200, true])
      expect(page.html).toContain('<html lang="hy"')
    }
  })

  test('returns 503 if the bank does not open its page, and the same key continues with the same token', async () => {
    const route = changeDriver(kassa.ctx, 'route_a', { saveToken: () => Promise.reject(new Error('away')) })
    const failed = await createToken(kassa.url, shop, { key: 'away' })
    expect([failed.status, failed.body.error.code]).toEqual([503, 'provider_unavailable'])
    kassa.ctx.routes.route_a = route
    const { status, body } = await createToken(kassa.url, shop, { key: 'away' })
    expect([status, body.created]).toEqual([201, true])
    await saveCard(body.setupUrl, 'saved')
    expect((await find(body.token.id))?.status).toBe('active')
  })
})

describe('revoking a saved card', () => {
  test('removes the card at the bank, and asks the bank whether it is removed', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const { status, body } = await revokeToken(kassa.url, shop, tokenId, 'revoke')
    expect([status, body]).toMatchObject([
      201,
      { operation: { type: 'token_revoke', status: 'queued' }, token: { id: tokenId, status: 'revoked' } },
    ])
    await sweep(kassa)
    const replay = await revokeToken(kassa.url, shop, tokenId, 'revoke')
    expect([replay.status, replay.body.operation]).toMatchObject([200, { status: 'succeeded' }])
    const at = { customer: 'kassa', reference: referenceOf(tokenId) }
    expect((await kassa.ctx.sandbox.cards.find(at))?.revoked).toBe(true)
  })

  test('asks the bank to remove the card again if the bank reported success but still has the card', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const { route_a: route } = kassa.ctx.routes
    const lying = { ...route.driver, revokeToken: async () => ({ kind: 'done' }) } as typeof route.driver
    kassa.ctx.routes.route_a = { ...route, driver: lying }
    const { body } = await revokeToken(kassa.url, shop, tokenId)
    await sweep(kassa)
    const operation = () => findOperation(kassa.ctx.db, shop.merchantId, body.operation.id)
    expect(await operation()).toMatchObject({
      status: 'processing',
      statusReason: 'the provider still has it',
    })
    kassa.ctx.routes.route_a = route
    kassa.clock.advance(60_000)
    await sweep(kassa)
    expect((await operation())?.status).toBe('succeeded')
  })

  test('succeeds at once for a token that is already revoked, and for one that was never saved', async () => {
    const tokenId = await openToken(kassa.url, shop)
    await revokeToken(kassa.url, shop, tokenId)
    const again = await revokeToken(kassa.url, shop, tokenId)
    expect([again.status, again.body.operation]).toMatchObject([
      201,
      { status: 'succeeded', statusReason: 'there is nothing to revoke: the token is revoked' },
    ])
    const cancelled = await openToken(kassa.url, shop, 'cancelled')
    expect((await revokeToken(kassa.url, shop, cancelled)).body).toMatchObject({
      operation: { status: 'succeeded' },
      token: { status: 'cancelled' },
    })
  })

  test('while the buyer is still choosing makes the intent fail, and a card that is saved afterwards is not used', async () => {
    const { body: intent } = await createToken(kassa.url, shop)
    await revokeToken(kassa.url, shop, intent.token.id)
    await sweep(kassa)
    await saveCard(intent.setupUrl, 'saved')
    expect((await find(intent.token.id))?.status).toBe('revoked')
    expect((await findOperation(kassa.ctx.db, shop.merchantId, intent.operation.id))?.status).toBe('failed')
  })
})

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

/** An answer about a saved method that nobody can read: its account is unclear until the provider answers again, and nothing ends. */
describe('an answer that nobody can read', () => {
  test('is told at the account, and ends with the next answer', async () => {
    const id = await openToken(kassa.url, shop)
    const method = await findSavedMethod(kassa.ctx.db, shop.merchantId, id)
    if (!method) throw new Error('Bug! The method is not stored.')
    const { route_a: route } = kassa.ctx.routes
    if (!route.driver) throw new Error('Bug! route_a has a driver.')
    const ask = () => askProviderAboutMethod(kassa.ctx, method, 'money')
    const health = async () => {
      kassa.ctx.accounts.forget()
      await kassa.ctx.accounts.read()
      return recallHealth(kassa.ctx, method.accountId).state
    }
    const lookUpToken = () => Promise.reject(new UnreadableError('something else'))
    changeDriver(kassa.ctx, 'route_a', { lookUpToken })
    expect([(await ask()).kind, await health()]).toEqual(['unavailable', 'unclear'])
    kassa.ctx.routes.route_a = route
    expect([(await ask()).kind, await health()]).toEqual(['found', 'ok'])
  })
})
