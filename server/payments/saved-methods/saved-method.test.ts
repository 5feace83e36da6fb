import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROVIDER_ROUTES } from '../../contract/fields.ts'
import { findOperation } from '../../storage/payments/operations.ts'
import { findSavedMethod } from '../../storage/payments/saved-methods.ts'
import { readPage } from '../../testing/calls.ts'
import { type Kassa, openShop, SHOP_ORIGIN, type Shop, startKassa } from '../../testing/harness.ts'
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
} from '../../testing/subscriptions.ts'

let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

const find = (id: string) => findSavedMethod(kassa.ctx.db, shop.merchantId, id)

describe('saving a card', () => {
  test('the buyer comes back to the merchant’s page with the token’s id, and the token is active on the bank’s word', async () => {
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

  test('the buyer who goes back has saved nothing, and the first choice stands', async () => {
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

  test('a buyer who never comes back is not needed: the bank is asked on a schedule', async () => {
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

  test('whoever has saved no card in time has none, and cannot save one later', async () => {
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

  test('without a returnUrl the buyer is told on a page of ours, in their language', async () => {
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

  test('a bank that does not open its page is a 503, and the same key goes on with the same token', async () => {
    const { route_a: route } = kassa.ctx.routes
    const { driver } = route
    kassa.ctx.routes.route_a = {
      ...route,
      driver: { ...driver, saveToken: () => Promise.reject(new Error('away')) } as typeof driver,
    }
    const refused = await createToken(kassa.url, shop, { key: 'away' })
    expect([refused.status, refused.body.error.code]).toEqual([503, 'provider_unavailable'])
    kassa.ctx.routes.route_a = route
    const { status, body } = await createToken(kassa.url, shop, { key: 'away' })
    expect([status, body.created]).toEqual([201, true])
    await saveCard(body.setupUrl, 'saved')
    expect((await find(body.token.id))?.status).toBe('active')
  })
})

describe('revoking', () => {
  test('the bank gives the card up, and it is asked whether it has', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const { status, body } = await revokeToken(kassa.url, shop, tokenId, 'revoke')
    expect([status, body]).toMatchObject([
      201,
      { operation: { type: 'token_revoke', status: 'queued' }, token: { id: tokenId, status: 'revoked' } },
    ])
    await sweep(kassa)
    const replay = await revokeToken(kassa.url, shop, tokenId, 'revoke')
    expect([replay.status, replay.body.operation]).toMatchObject([200, { status: 'succeeded' }])
    expect((await kassa.ctx.cards.find(tokenId.slice('pmt_'.length)))?.revoked).toBe(true)
  })

  test('a bank that says it did and did not is told again', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const { route_a: route } = kassa.ctx.routes
    const lies = { ...route.driver, revokeToken: async () => ({ kind: 'done' }) } as typeof route.driver
    kassa.ctx.routes.route_a = { ...route, driver: lies }
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

  test('what is revoked already succeeds at once, and so does what was never saved', async () => {
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

  test('while the buyer is still choosing: the intent fails, and what is saved afterwards is not used', async () => {
    const { body: intent } = await createToken(kassa.url, shop)
    await revokeToken(kassa.url, shop, intent.token.id)
    await sweep(kassa)
    await saveCard(intent.setupUrl, 'saved')
    expect((await find(intent.token.id))?.status).toBe('revoked')
    expect((await findOperation(kassa.ctx.db, shop.merchantId, intent.operation.id))?.status).toBe('failed')
  })
})

describe('what is refused', () => {
  const codes = ['route_a', 'route_b', 'route_c', 'route_d', 'route_e', 'manual'] as const
  const EXPECTED: Record<(typeof codes)[number], [number, string?]> = {
    route_a: [201],
    route_b: [201],
    route_c: [409, 'operation_disabled'],
    route_d: [501, 'operation_not_configured'],
    route_e: [422, 'provider_route_not_ready'],
    manual: [409, 'operation_disabled'],
  }

  test.each(PROVIDER_ROUTES)(
    '%s answers as its face says, to an intent and to a subscription',
    async (route) => {
      const [status, code] = EXPECTED[route]
      const intent = await createToken(kassa.url, shop, { body: tokenRequest({ providerRoute: route }) })
      expect([intent.status, intent.body.error?.code]).toEqual([status, code])
      const tokenId =
        status === 201 ? await openToken(kassa.url, shop, 'saved', { providerRoute: route }) : 'pmt_0'
      const terms = { providerRoute: route, merchantSubscriptionId: `on-${route}` }
      const begun = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId, terms) })
      expect([begun.status, begun.body.error?.code]).toEqual([status, code])
      if (status === 409)
        expect(begun.body.error.operation).toMatchObject({ status: 'blocked', provider: route })
      if (status === 501)
        expect(begun.body.error.operation).toMatchObject({ status: 'requires_provider_contract' })
    },
  )

  test.each([
    ['disabled', 409, 'operation_disabled'],
    ['not_configured', 501, 'operation_not_configured'],
  ])('revocation and cancellation on a route that is %s by now', async (OPERATIONS, status, code) => {
    const tokenId = await openToken(kassa.url, shop)
    const { route_a: route } = kassa.ctx.routes
    kassa.ctx.routes.route_a = { ...route, settings: { ...route.settings, OPERATIONS } }
    const answer = await revokeToken(kassa.url, shop, tokenId)
    kassa.ctx.routes.route_a = route
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect((await find(tokenId))?.status).toBe('active')
  })

  test('a subscription on a token that is not there, is another merchant’s, of another route, or not active', async () => {
    const stranger = await openShop(kassa.ctx)
    const theirs = await openToken(kassa.url, stranger)
    const onB = await openToken(kassa.url, shop, 'saved', { providerRoute: 'route_b' })
    const { body: pending } = await createToken(kassa.url, shop)
    const revoked = await openToken(kassa.url, shop)
    await revokeToken(kassa.url, shop, revoked)
    const answers = []
    for (const tokenId of ['pmt_0', theirs, onB, pending.token.id, revoked]) {
      const { status, body } = await createSubscription(kassa.url, shop, {
        body: subscriptionRequest(tokenId),
      })
      answers.push([status, body.error.code])
    }
    const [none, unfit] = [
      [404, 'token_not_found'],
      [409, 'payment_not_eligible'],
    ]
    expect(answers).toEqual([none, none, unfit, unfit, unfit])
  })

  test('a second subscription under the merchant’s own id while the first one runs', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const body = subscriptionRequest(tokenId, { merchantSubscriptionId: 'twice' })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => createSubscription(kassa.url, shop, { body })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  test('card numbers in every text field of the four endpoints', async () => {
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
    const begun = [
      { merchantSubscriptionId: number },
      { description: `card ${number}` },
      { paymentTokenId: number },
      { metadata: { deep: { note: number } } },
      { cardNumber: number },
    ]
    for (const changes of begun) {
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
