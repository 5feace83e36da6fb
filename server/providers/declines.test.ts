/** Why a payment was declined at Stripe or PayPal, as the buyer reads it on our page in each language. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCALES } from '../http/pages/words/locale.ts'
import { type MessageKey, say } from '../http/pages/words/messages.ts'
import { createSession, lookUp, readPage, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { paypalSettings } from '../testing/paypal-scene.ts'
import { actAsBuyer, type PaypalServer, startPaypalServer } from '../testing/paypal-server.ts'
import { STRIPE_ACCOUNT, STRIPE_KEY, type StripeScene, setStripeScene } from '../testing/stripe-scene.ts'

/** The provider's own words, and the message that the buyer reads. Each of the five categories is there for both. */
const DECLINES: [provider: 'stripe' | 'paypal', code: string, message: MessageKey][] = [
  ['stripe', 'insufficient_funds', 'declinedCard'],
  ['stripe', 'expired_card', 'declinedCard'],
  ['stripe', 'a_code_of_tomorrow', 'declinedCard'],
  ['stripe', 'do_not_honor', 'declinedAskBank'],
  ['stripe', 'restricted_card', 'declinedAskBank'],
  ['stripe', 'try_again_later', 'declinedLater'],
  ['stripe', 'processing_error', 'declinedTechnical'],
  ['stripe', 'stolen_card', 'declinedAskBank'],
  ['paypal', 'INSTRUMENT_DECLINED', 'declinedCard'],
  ['paypal', 'PAYER_ACCOUNT_RESTRICTED', 'declinedAskBank'],
  ['paypal', 'MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED', 'declinedLater'],
  ['paypal', 'PAYEE_ACCOUNT_RESTRICTED', 'declinedTechnical'],
  ['paypal', 'COMPLIANCE_VIOLATION', 'declinedAskBank'],
]
/** The page asks the provider again after this time. */
const STALE_MS = 5_000

let stripe: StripeScene
let paypal: PaypalServer
let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  stripe = await setStripeScene()
  paypal = await startPaypalServer(() => kassa.clock.now())
  const atStripe = {
    ROUTE_A_DRIVER: 'stripe',
    ROUTE_A_ACCOUNT: STRIPE_ACCOUNT,
    ROUTE_A_SECRET_KEY: STRIPE_KEY,
    ROUTE_A_API_BASE: stripe.server.origin,
  }
  kassa = await startKassa({ settings: { ...atStripe, ...paypalSettings('ROUTE_B', paypal.origin, 'one') } })
  shop = await openShop(kassa.ctx)
})
afterAll(async () => {
  await kassa.close()
  await stripe.close()
  await paypal.close()
})

let orders = 0
async function open(provider: 'stripe' | 'paypal') {
  const key = `declined-${++orders}`
  const route = provider === 'stripe' ? 'route_a' : 'route_b'
  const body = sessionRequest({ merchantOrderId: key, provider: route })
  const created = await createSession(kassa.url, shop, { key, body })
  expect(created.status).toBe(201)
  return {
    id: created.body.id as string,
    page: `${kassa.url}/checkout/${created.body.id}`,
    url: created.body.providerCheckoutUrl as string,
  }
}
type Opened = Awaited<ReturnType<typeof open>>

const DECLINING = {
  stripe(opened: Opened, code: string) {
    stripe.buyer(opened, 'declined')
    const intent = stripe.account.intents.get(String(stripe.sessionAt(opened).payment_intent))
    Object.assign(intent?.last_payment_error ?? {}, { decline_code: code })
  },
  async paypal({ url }: Opened, code: string) {
    const order = paypal.account.orders.get(new URL(url).searchParams.get('token') ?? '')
    Object.assign(order ?? {}, { refusal: code })
    await fetch(await actAsBuyer(url, 'decline'), { redirect: 'manual' })
  },
}

test.each(DECLINES)('%s says %s: the buyer reads %s, and may try again', async (provider, code, message) => {
  const opened = await open(provider)
  await DECLINING[provider](opened, code)
  kassa.clock.advance(STALE_MS)
  for (const locale of LOCALES) {
    const { html } = await readPage(opened.page, locale)
    const control = `data-testid="pay">${say(locale, 'tryAgain')}<`
    for (const text of [say(locale, message), say(locale, 'nothingTaken'), control])
      expect([locale, html.includes(text) || text]).toEqual([locale, true])
  }
  expect((await lookUp(kassa.url, shop, opened.id)).body.status).toBe('pending_payment')
})

test('a decline at Stripe is forgotten as soon as another card is being charged', async () => {
  const opened = await open('stripe')
  Object.assign(stripe.account.plans.get(stripe.sessionAt(opened).id) ?? {}, { name: 'simulate late_paid' })
  stripe.buyer(opened, 'declined')
  kassa.clock.advance(STALE_MS)
  const shows = async (key: MessageKey) => (await readPage(opened.page)).html.includes(say('en', key))
  expect(await shows('declinedAskBank')).toBe(true)
  stripe.buyer(opened, 'visa')
  kassa.clock.advance(STALE_MS)
  expect([await shows('pendingTitle'), await shows('nothingTaken')]).toEqual([true, false])
})
