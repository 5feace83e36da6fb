/** Two merchants with their own accounts at Stripe and PayPal in one deployment. The test replaces one merchant's credentials. */
import { afterAll, expect, test } from 'vitest'
import { EVENTS } from '../providers/stripe/inbound.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { askOperation, createSession, sessionRequest } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import {
  createSubscription,
  createToken,
  subscriptionRequest,
  tokenRequest,
} from '../testing/payments/subscriptions.ts'
import { actAsBuyer, startPaypalServer } from '../testing/providers/paypal-server.ts'
import { choose } from '../testing/providers/stripe/checkout.ts'
import { startStripeServer } from '../testing/providers/stripe-server.ts'
import { openKassa } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { rotateAccount, setAccount } from './set.ts'

const DAY_MS = 86_400_000
/** After this time Stripe resends a webhook. */
const RETRY_MS = 6_000
const ROUTES = ['route_a', 'route_b'] as const
type Own = (typeof ROUTES)[number]
type Letter = { url: string; headers: Record<string, string>; body: string }

/** Stripe's webhooks that are answered with an error, so that Stripe resends them. Null: they are delivered at once. */
let held: Letter[] | null = null
const kassa = await openKassa()
const now = () => kassa.clock.now()
const stripe = await startStripeServer(now, async (url, headers, body) => {
  const letter = { url, headers, body }
  held?.push(letter)
  return held ? 503 : post(letter)
})
const paypal = await startPaypalServer(now)
afterAll(async () => {
  await stripe.close()
  await paypal.close()
})

async function post({ url, headers, body }: Letter): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers, body })
  await answer.text()
  return answer.status
}
const statusOf = async (paymentId: string) => (await findPaymentById(kassa.ctx.db, paymentId))?.status

async function openMerchant(name: string) {
  const { ctx, url } = kassa
  const shop = await openShop(ctx)
  const atStripe = stripe.openAccount(`acct_merchant${name}`, [`sk_test_key_of_${name}`])
  const atPaypal = paypal.paypal.openAccount(`client-of-${name}`, `secret-of-${name}`)
  const set = (route: Own, driver: string, written: Record<string, string>) =>
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
    RENEWALS: 'enabled',
    SAVED_METHODS: 'enabled',
  })
  const endpoint = { url: `${url}/callbacks/${stripeId}`, secrets: [`whsec_of_${name}`], events: EVENTS }
  atStripe.endpoints.push(endpoint)
  const webhook = { id: `WEBHOOK${name}`, url: `${url}/callbacks/${paypalId}`, events: ['*'] }
  atPaypal.webhooks.set(webhook.id, webhook)
  let orders = 0

  /** Returns the address to which the provider sends the buyer. Throws if the page is not of this merchant's account. */
  async function actAt(route: Own, page: string): Promise<string> {
    if (route === 'route_b') return actAsBuyer(page, 'pay')
    const session = atStripe.sessions.get(new URL(page).pathname.split('/').at(-1) ?? '')
    if (!session) throw new Error('the session is not in the account of this merchant')
    choose(stripe.books, atStripe, session, 'visa')
    return session.success_url ?? ''
  }
  /** Pays, and the buyer does not come back, so only the webhook reports the payment. Returns the webhooks. */
  async function leave(provider: Own): Promise<{ id: string; letters: Letter[] }> {
    const key = `${name}-${provider}-${++orders}`
    const body = sessionRequest({ merchantOrderId: key, provider })
    const created = await createSession(url, shop, { key, body })
    held = []
    paypal.takeSent()
    await actAt(provider, created.body.providerCheckoutUrl)
    await stripe.work()
    const sent: Letter[] = [...held, ...paypal.takeSent()]
    held = null
    // A webhook of the other merchant may come late.
    const isOwn = ({ url: to }: Letter) => to === endpoint.url || to === webhook.url
    for (const letter of sent) if (!isOwn(letter)) await post(letter)
    const letters = sent.filter(isOwn)
    expect(letters.length).toBeGreaterThan(0)
    return { id: created.body.id, letters }
  }
  async function pay(provider: Own): Promise<string> {
    const left = await leave(provider)
    for (const letter of left.letters) expect(await post(letter)).toBe(200)
    expect(await statusOf(left.id)).toBe('paid')
    return left.id
  }
  /** Saves a method and subscribes for a day each. The first charge is due at once. */
  async function subscribe(providerRoute: Own): Promise<void> {
    const saving = await createToken(url, shop, { body: tokenRequest({ providerRoute }) })
    await fetch(await actAt(providerRoute, saving.body.setupUrl), { redirect: 'manual' })
    const changes = { providerRoute, interval: 'day', merchantSubscriptionId: `${name}-${providerRoute}` }
    const body = subscriptionRequest(saving.body.token.id, changes)
    expect((await createSubscription(url, shop, { body })).status).toBe(201)
  }
  async function refund(paymentId: string): Promise<void> {
    const request = { key: `${paymentId}-refund`, body: { amountMinor: 500, reason: 'returned' } }
    expect((await askOperation(url, shop, paymentId, 'refunds', request)).status).toBe(201)
    await SWEEPS.moneyOperations(ctx)
    expect(await statusOf(paymentId)).toBe('partially_refunded')
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
  /** Returns what each provider has in this merchant's account. */
  function books() {
    const paidOrders = [...atPaypal.orders.values()].filter(({ captures }) => captures.length > 0)
    const taken = [...atStripe.intents.values()].filter(({ status }) => status === 'succeeded')
    const isCharge = ({ id: intent }: { id: string }) =>
      ![...atStripe.sessions.values()].some(({ payment_intent }) => payment_intent === intent)
    return {
      stripe: {
        paid: taken.length,
        renewals: taken.filter(isCharge).length,
        refunds: atStripe.refunds.size,
      },
      paypal: {
        paid: paidOrders.length,
        renewals: paidOrders.filter(({ vaultId }) => vaultId !== null).length,
        refunds: paidOrders.flatMap(({ refunds }) => refunds).length,
      },
    }
  }
  return { leave, pay, subscribe, refund, rotate, books, callbacks: { route_a: stripeId, route_b: paypalId } }
}

const both = (counts: { paid: number; renewals: number; refunds: number }) => ({
  stripe: counts,
  paypal: counts,
})

test('orders, webhooks, refunds and renewals use the own account of each merchant, before and after a rotation', async () => {
  const [one, other] = [await openMerchant('One'), await openMerchant('Other')]
  for (const route of ROUTES) {
    await one.subscribe(route)
    await other.subscribe(route)
  }
  await SWEEPS.renewals(kassa.ctx)
  const early = [await one.pay('route_a'), await one.pay('route_b')]
  for (const route of ROUTES) await other.refund(await other.pay(route))
  expect(one.books()).toEqual(both({ paid: 2, renewals: 1, refunds: 0 }))
  expect(other.books()).toEqual(both({ paid: 2, renewals: 1, refunds: 1 }))

  // These buyers pay before the rotation, and the providers report it afterwards.
  const late = { route_a: await one.leave('route_a'), route_b: await one.leave('route_b') }
  await one.rotate()
  for (const route of ROUTES) {
    const { id, letters } = late[route]
    const foreign = letters.map((letter) => ({
      ...letter,
      url: `${kassa.url}/callbacks/${other.callbacks[route]}`,
    }))
    for (const letter of foreign) expect(await post(letter)).toBeGreaterThanOrEqual(400)
    expect(await statusOf(id)).toBe('pending_redirect')
  }
  for (const letter of late.route_b.letters) expect(await post(letter)).toBe(200)
  expect(await statusOf(late.route_b.id)).toBe('paid')
  for (const letter of late.route_a.letters) expect(await post(letter)).toBe(400)
  expect(await statusOf(late.route_a.id)).toBe('pending_redirect')
  // When Stripe resends a webhook, it signs the webhook with the current secret.
  kassa.clock.advance(RETRY_MS)
  await stripe.work()
  expect(await statusOf(late.route_a.id)).toBe('paid')

  for (const id of early) await one.refund(id)
  for (const route of ROUTES) {
    await one.pay(route)
    await other.pay(route)
  }
  kassa.clock.advance(DAY_MS + 1_000)
  await SWEEPS.renewals(kassa.ctx)
  expect(one.books()).toEqual(both({ paid: 5, renewals: 2, refunds: 1 }))
  expect(other.books()).toEqual(both({ paid: 4, renewals: 2, refunds: 1 }))
})
