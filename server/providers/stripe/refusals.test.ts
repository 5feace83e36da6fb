/** A refusal that a repetition does not change is no outage: the caller, the operator and the buyer learn what has to change. */
import { afterEach, describe, expect, test } from 'vitest'
import { listAccounts } from '../../accounts/manage.ts'
import { setProduct } from '../../merchants/product.ts'
import { deleteAccountFacts } from '../../storage/accounts/facts.ts'
import { resetAccountHealth } from '../../storage/accounts/health.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import {
  askOperation,
  clickWidget,
  createLink,
  createSession,
  linkRequest,
  lookUp,
  readCapabilities,
  sessionRequest,
} from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { createSubscription, createToken, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { openStripeShop, STRIPE_KEY } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const { kassa, restoreAccount, scene, shop } = closeAfter(await openStripeShop())
const show = async (id: string) =>
  (await operateHere(async () => kassa.ctx, ['payment', 'show', '--payment', id])).stdout

afterEach(async () => {
  restoreAccount()
  await mend()
})

/** New credentials: nothing of what was refused applies any more. */
async function mend(): Promise<void> {
  await resetAccountHealth(kassa.ctx.db, kassa.ctx.routes.route_a.id, kassa.clock.now())
  await deleteAccountFacts(kassa.ctx.db, kassa.ctx.routes.route_a.id)
  kassa.ctx.accounts.forget()
}

let orders = 0
const newKey = () => `refused-${++orders}`
const create = (key: string, changes: object = {}) =>
  createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key, ...changes }) })
async function paymentsOf(order: string): Promise<string[]> {
  const { rows } = await kassa.ctx.db.query(
    'select status from sandbox.payments where merchant_order_id = $1 order by id',
    [order],
  )
  return rows.map(({ status }) => status)
}
async function lastRefusal() {
  const { route_a: route } = kassa.ctx.routes
  return (await listAccounts(kassa.ctx)).find(({ accountId }) => accountId === route.id)?.lastRefusal
}
function revokeKey(): void {
  scene.account.keys.delete(STRIPE_KEY)
  scene.account.expiredKeys.add(STRIPE_KEY)
}
async function pay(): Promise<string> {
  const { body } = await create(newKey())
  scene.buyer({ url: body.providerCheckoutUrl }, 'visa')
  expect((await lookUp(kassa.url, shop, body.id)).body.status).toBe('paid')
  return body.id
}

const REFUSED = {
  code: 'provider_unavailable',
  message: 'The payment provider does not accept the account that takes your payments.',
  requestId: expect.any(String),
  hint: 'Ask whoever runs your payment service. Once the account is in order, send the request again with the same key.',
  retryable: false,
}

describe('a creation', () => {
  test('with a revoked key fails for good, makes one payment, and works with the same key once the key is back', async () => {
    const key = newKey()
    revokeKey()
    for (let tries = 0; tries < 4; tries++) {
      const { status, body, headers } = await create(key)
      expect([status, body.error]).toEqual([503, REFUSED])
      expect(headers.get('retry-after')).toBeNull()
    }
    expect(await paymentsOf(key)).toEqual(['created'])
    expect(await lastRefusal()).toEqual({
      at: expect.any(String),
      message: 'Stripe does not accept the secret key. It may be revoked or expired.',
    })
    scene.account.keys.add(STRIPE_KEY)
    scene.account.expiredKeys.clear()
    expect((await create(key)).status).toBe(201)
    expect(await paymentsOf(key)).toEqual(['pending_redirect'])
  })

  test('with a key that may not create payments fails for good, and works with the same key once it may', async () => {
    const key = newKey()
    scene.account.forbidden.add('POST checkout/sessions')
    expect((await create(key)).body.error).toEqual(REFUSED)
    expect((await create(key)).body.error).toEqual(REFUSED)
    expect(await paymentsOf(key)).toEqual(['created'])
    scene.account.forbidden.clear()
    const { status, body } = await create(key)
    expect([status, body.status]).toEqual([201, 'pending_redirect'])
    expect(await paymentsOf(key)).toEqual(['pending_redirect'])
  })

  test('on an account that Stripe has not activated fails for good, and the operator reads why', async () => {
    const key = newKey()
    scene.account.isActivated = false
    kassa.clock.advance(120_000)
    expect((await create(key)).body.error).toEqual(REFUSED)
    expect((await lastRefusal())?.message).toBe(
      'Stripe has not activated this account yet. The first page of the Dashboard shows what is missing.',
    )
  })
})

describe('an amount that Stripe does not take', () => {
  const takes = (smallest: string, largest: string) =>
    `must be from ${smallest} to ${largest}: the payment provider takes no other amount`

  test('is refused on the field that the caller sent, and Stripe is not asked', async () => {
    const before = scene.server.writes.length
    const key = newKey()
    for (const [currency, amountMinor, smallest] of [
      ['AMD', 100_000_000, 1],
      ['USD', 49, 50],
      ['EUR', 100_000_000, 50],
    ] as const) {
      const { status, body } = await create(key, { currency, amountMinor })
      expect([status, body.error.code, body.errors]).toEqual([
        422,
        'validation_failed',
        { amountMinor: takes(String(smallest), '99999999') },
      ])
    }
    const body = linkRequest({ amount: '1000000', currency: 'AMD' })
    const link = await createLink(kassa.url, shop, { key: newKey(), body })
    expect([link.status, link.body.errors]).toEqual([422, { amount: takes('0.01', '999999.99') }])
    expect(await paymentsOf(key)).toEqual([])
    expect(scene.server.writes.length).toBe(before)
    expect((await create(key, { currency: 'AMD', amountMinor: 99_999_999 })).status).toBe(201)
  })

  test('of a product is refused with the reason at the product, and the pay page says that payment is not available', async () => {
    const product = { id: 'car', name: 'Car', amountMinor: 100_000_000, currency: 'AMD' } as const
    await setProduct(kassa.ctx, { merchantId: shop.merchantId, provider: null, ...product })
    const { status, body } = await clickWidget(kassa.url, shop, { body: { productId: 'car' } })
    expect([status, body.errors]).toEqual([
      422,
      {
        productId:
          'has a price that the payment provider does not take: it must be from 0.01 to 999999.99 AMD',
      },
    ])
    const page = `${kassa.url}/pay/${shop.publicKey}/car`
    const html = await (await fetch(page)).text()
    const form = new URLSearchParams({ token: /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '' })
    const answer = await fetch(page, {
      method: 'POST',
      body: form,
      headers: { 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
    })
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining('Payment is not available right now'),
    ])
  })

  test('of a subscription is refused before its first charge', async () => {
    const saving = await createToken(kassa.url, shop)
    scene.buyer({ url: saving.body.setupUrl }, 'visa')
    const returned = `${kassa.url}/payment-method-tokens/${saving.body.token.id}/return`
    await fetch(returned, { redirect: 'manual' })
    const body = subscriptionRequest(saving.body.token.id, { currency: 'USD', amountMinor: 20 })
    const answer = await createSubscription(kassa.url, shop, { body })
    expect([answer.status, answer.body.errors]).toEqual([422, { amountMinor: takes('50', '99999999') }])
  })

  test('can be seen in the capabilities', async () => {
    const { providers } = (await readCapabilities(kassa.url, shop)).body
    const bounds = Object.fromEntries(
      providers.map(({ id, amountBounds }: { id: string; amountBounds: object }) => [id, amountBounds]),
    )
    expect(bounds).toMatchObject({
      route_a: {
        AMD: { smallestMinor: 1, largestMinor: 99_999_999 },
        USD: { smallestMinor: 50, largestMinor: 99_999_999 },
        EUR: { smallestMinor: 50, largestMinor: 99_999_999 },
      },
      route_b: { USD: { smallestMinor: 1, largestMinor: 1_000_000_000_000 } },
    })
  })
})

describe('a refund', () => {
  test('that the key may not make waits until it may, and is then done once', async () => {
    for (const refused of ['right', 'key'] as const) {
      const payment = await pay()
      const request = { key: newKey(), body: { amountMinor: 500, reason: 'returned' } }
      const { body } = await askOperation(kassa.url, shop, payment, 'refunds', request)
      const before = scene.server.writes.length
      if (refused === 'right') scene.account.forbidden.add('POST refunds')
      else scene.server.spoilNextWrite('revoked')
      await SWEEPS.moneyOperations(kassa.ctx)
      const ended = await findOperationById(kassa.ctx.db, body.operation.id)
      expect(scene.server.writes.length - before).toBe(1)
      expect(ended).toMatchObject({
        status: 'processing',
        sentAt: null,
        refusedTimes: 1,
        statusReason:
          refused === 'right'
            ? 'the payment provider does not allow this account to do this'
            : 'the payment provider does not accept this account',
      })
      expect((await lookUp(kassa.url, shop, payment)).body).toMatchObject({
        status: 'paid',
        refundedMinor: 0,
      })
      scene.account.forbidden.clear()
      kassa.clock.advance(120_000)
      await SWEEPS.moneyOperations(kassa.ctx)
      expect((await findOperationById(kassa.ctx.db, body.operation.id))?.status).toBe('succeeded')
      expect((await lookUp(kassa.url, shop, payment)).body.refundedMinor).toBe(500)
    }
  })
})

test('payment show names refused credentials as the cause of the silence', async () => {
  // The refusals of the other tests are older than this payment.
  kassa.clock.advance(120_000)
  const { body } = await create(newKey())
  expect(await show(body.id)).toContain('The next question to the provider is due')
  revokeKey()
  // The provider is asked once in three seconds at most.
  kassa.clock.advance(4_000)
  await lookUp(kassa.url, shop, body.id)
  kassa.ctx.accounts.forget()
  await kassa.ctx.accounts.read()
  const shown = await show(body.id)
  expect(shown).toMatch(/The provider refused requests of the account acc_test_\w+ of route_a .*secret key/)
  expect(shown).toContain('account test --account acc_test_')
})
