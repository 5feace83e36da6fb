/** A Kassa whose route_a is paid at a simulated Stripe, and whose route_b is paid at a simulated PayPal. */
import { expect } from 'vitest'
import { createSession, sessionRequest } from '../calls.ts'
import { openShop, startKassa } from '../harness.ts'
import { paypalSettings } from './paypal-scene.ts'
import { addWebhook, startPaypalServer } from './paypal-server.ts'
import { setStripeScene, stripeSettings } from './stripe-scene.ts'

export const ROUTES = { stripe: 'route_a', paypal: 'route_b' } as const
export type ProviderName = keyof typeof ROUTES

export type BothProviders = Awaited<ReturnType<typeof setBothProviders>>

/** `logLines`: gets every line of the log. */
export async function setBothProviders({ logLines }: { logLines?: string[] } = {}) {
  const stripe = await setStripeScene()
  const paypal = await startPaypalServer(() => kassa.clock.now())
  const settings = {
    ...stripeSettings('ROUTE_A', stripe.server.origin),
    ...paypalSettings('ROUTE_B', paypal.origin),
  }
  const kassa = await startKassa({ settings, ...(logLines && { logLines }) })
  const shop = await openShop(kassa.ctx)
  addWebhook(paypal, `${kassa.url}/callbacks/${kassa.ctx.routes.route_b.id}`)
  let orders = 0
  return {
    stripe,
    paypal,
    kassa,
    shop,
    /** `url`: the provider's page. `page`: our page. */
    async open(provider: ProviderName, changes: object = {}) {
      const key = `both-${++orders}`
      const body = sessionRequest({ merchantOrderId: key, provider: ROUTES[provider], ...changes })
      const created = await createSession(kassa.url, shop, { key, body })
      expect(created.status).toBe(201)
      const { id, providerCheckoutUrl: url } = created.body as { id: string; providerCheckoutUrl: string }
      return { id, page: `${kassa.url}/checkout/${id}`, url }
    },
    /** The order in PayPal's records that has this page. */
    orderAt({ url }: { url: string }) {
      const order = paypal.account.orders.get(new URL(url).searchParams.get('token') ?? '')
      if (!order) throw new Error('PayPal has no such order')
      return order
    },
    async close() {
      await kassa.close()
      await stripe.close()
      await paypal.close()
    },
  }
}
