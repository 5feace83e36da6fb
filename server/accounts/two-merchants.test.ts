/** Two merchants with their own accounts at Stripe and PayPal in one deployment. One merchant's credentials are replaced midway. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVENTS } from '../providers/stripe/inbound.ts'
import { choose } from '../providers/stripe/simulator/checkout.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { askOperation, createSession, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, startKassa } from '../testing/harness.ts'
import { actAsBuyer, type PaypalServer, startPaypalServer } from '../testing/paypal-server.ts'
import { type StripeServer, startStripeServer } from '../testing/stripe-server.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { rotateAccount, setAccount } from './set.ts'

let kassa: Kassa
let stripe: StripeServer
let paypal: PaypalServer
beforeAll(async () => {
  kassa = await startKassa()
  const now = () => kassa.clock.now()
  stripe = await startStripeServer(now)
  paypal = await startPaypalServer(now)
})
afterAll(async () => {
  await kassa.close()
  await stripe.close()
  await paypal.close()
})

async function openMerchant(name: string) {
  const { ctx, url } = kassa
  const shop = await openShop(ctx)
  const atStripe = stripe.openAccount(`acct_merchant${name}`, [`sk_test_key_of_${name}`])
  const atPaypal = paypal.paypal.openAccount(`client-of-${name}`, `secret-of-${name}`)
  const set = (route: 'route_a' | 'route_b', driver: string, written: Record<string, string>) =>
    setAccount(ctx, { merchantId: shop.merchantId, route, driver, currencies: undefined, written })
  const { accountId: stripeId } = await set('route_a', 'stripe', {
    ACCOUNT: atStripe.id,
    SECRET_KEY: `sk_test_key_of_${name}`,
    WEBHOOK_SECRET: `whsec_of_${name}`,
    API_BASE: stripe.origin,
  })
  const { accountId: paypalId } = await set('route_b', 'paypal', {
    ENVIRONMENT: 'sandbox',
    CLIENT_ID: atPaypal.clientId,
    CLIENT_SECRET: atPaypal.secret,
    WEBHOOK_ID: `WEBHOOK${name}`,
    ADDRESS: paypal.origin,
  })
  const endpoint = { url: `${url}/callbacks/${stripeId}`, secrets: [`whsec_of_${name}`], events: EVENTS }
  atStripe.endpoints.push(endpoint)
  const id = `WEBHOOK${name}`
  atPaypal.webhooks.set(id, { id, url: `${url}/callbacks/${paypalId}`, events: ['*'] })
  let orders = 0
  /** The buyer never comes back: only the webhook tells of the money. */
  async function pay(provider: 'route_a' | 'route_b'): Promise<string> {
    const key = `${name}-${provider}-${++orders}`
    const { body } = await createSession(url, shop, {
      key,
      body: sessionRequest({ merchantOrderId: key, provider }),
    })
    if (provider === 'route_b') await actAsBuyer(body.providerCheckoutUrl, 'pay')
    else {
      const session = atStripe.sessions.get(
        new URL(body.providerCheckoutUrl).pathname.split('/').at(-1) ?? '',
      )
      if (!session) throw new Error('the session is not in the account of this merchant')
      choose(stripe.books, atStripe, session, 'visa')
    }
    await stripe.work()
    for (const { url: to, headers, body: text } of paypal.takeSent())
      await fetch(to, { method: 'POST', headers, body: text })
    expect((await findPaymentById(ctx.db, body.id))?.status).toBe('paid')
    return body.id
  }
  async function refund(paymentId: string): Promise<void> {
    const request = { key: `${paymentId}-refund`, body: { amountMinor: 500, reason: 'returned' } }
    expect((await askOperation(url, shop, paymentId, 'refunds', request)).status).toBe(201)
    await SWEEPS.moneyOperations(ctx)
    expect((await findPaymentById(ctx.db, paymentId))?.status).toBe('partially_refunded')
  }
  async function rotate(): Promise<void> {
    atStripe.keys = new Set([`sk_test_new_key_of_${name}`])
    endpoint.secrets = [`whsec_new_of_${name}`]
    atPaypal.secret = `new-secret-of-${name}`
    atPaypal.accessTokens.clear()
    await rotateAccount(ctx, stripeId, {
      SECRET_KEY: `sk_test_new_key_of_${name}`,
      WEBHOOK_SECRET: `whsec_new_of_${name}`,
    })
    await rotateAccount(ctx, paypalId, { CLIENT_SECRET: `new-secret-of-${name}` })
  }
  const counts = () => [
    atStripe.sessions.size,
    atStripe.refunds.size,
    atPaypal.orders.size,
    [...atPaypal.orders.values()].flatMap(({ refunds }) => refunds).length,
  ]
  return { pay, refund, rotate, counts }
}

test('orders, webhooks and refunds use the own account of each merchant, before and after a rotation', async () => {
  const [one, other] = [await openMerchant('One'), await openMerchant('Other')]
  const early = [await one.pay('route_a'), await one.pay('route_b')]
  for (const route of ['route_a', 'route_b'] as const) await other.refund(await other.pay(route))
  expect([one.counts(), other.counts()]).toEqual([
    [1, 0, 1, 0],
    [1, 1, 1, 1],
  ])
  await one.rotate()
  for (const id of early) await one.refund(id)
  for (const route of ['route_a', 'route_b'] as const) {
    await one.pay(route)
    await other.pay(route)
  }
  expect([one.counts(), other.counts()]).toEqual([
    [2, 1, 2, 1],
    [2, 1, 2, 1],
  ])
})
