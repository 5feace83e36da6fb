/** A deployment that serves real payments at a simulated Stripe, and beside them the sandbox. */
import { fileURLToPath } from 'node:url'
import { expect, inject } from 'vitest'
import { allowAccount } from '../../accounts/manage.ts'
import { readConfig } from '../../config.ts'
import type { Context } from '../../context.ts'
import { EVENTS } from '../../providers/stripe/inbound.ts'
import { openService } from '../../service.ts'
import { createEmptyDatabase } from '../database.ts'
import { openShop, TEST_SETTINGS } from '../harness.ts'
import { routeSettings } from '../providers/route-settings.ts'
import { type StripeServer, startStripeServer } from '../providers/stripe-server.ts'
import { LIVE_SETTINGS, onboard } from '../two-worlds.ts'
import { browse, type Deployment, type Order, PUBLIC, payAtBank } from './scene.ts'

const STRIPE = { ACCOUNT: 'acct_simulatedShop', SECRET_KEY: 'sk_live_simulated_shop' }
const WEBHOOK_SECRET = 'whsec_simulated_shop'
const STRIPE_PAGES = 'https://checkout.stripe.com'
const SHOP = 'https://shop.example'
const SETTINGS = {
  ...LIVE_SETTINGS,
  ...routeSettings('ROUTE_A', { DRIVER: 'stripe', ...STRIPE, WEBHOOK_SECRET }),
  RATE_LIMITS: 'write=1000:1000,lookup=1000:1000,page=1000:1000,callback=1000:1000',
}
/** How often Stripe sends its webhooks. */
const SEND_EVERY_MS = 50

export function liveDeployment(): Deployment {
  let stripe: StripeServer | null = null
  let [serviceUrl, receiver] = ['', '']
  let sending: NodeJS.Timeout | undefined
  const post = async (url: string, headers: Record<string, string>, body: string) =>
    (await browse(url, serviceUrl, { method: 'POST', headers, body })).status
  return {
    settings: SETTINGS,
    serviceSettings: () => ({
      HOSTS: JSON.stringify({ 'api.stripe.com': stripe?.origin, [new URL(SHOP).host]: receiver }),
    }),
    entry: fileURLToPath(new URL('../processes/live-main.ts', import.meta.url)),
    emptyDatabase: () => createEmptyDatabase(inject('postgresUrl')),
    onService: (url) => {
      serviceUrl = url
    },
    async openTills(databaseUrl, callbackUrl) {
      receiver = new URL(callbackUrl).origin
      const server = await startStripeServer(() => new Date(), post, { live: true })
      stripe = server
      server.books.origin = STRIPE_PAGES
      const account = server.openAccount(STRIPE.ACCOUNT, [STRIPE.SECRET_KEY])
      const given = { ...TEST_SETTINGS, ...SETTINGS, LOG_LEVEL: 'silent', DATABASE_URL: databaseUrl }
      const service = await openService(readConfig(given))
      const { sandbox, live } = service.worlds as { sandbox: Context; live: Context }
      const shop = await openLiveShop(live, sandbox)
      const testShop = await openShop(sandbox, { callbackUrl: `${SHOP}/callback` })
      const url = `${PUBLIC}/callbacks/${live.routes.route_a.id}`
      account.endpoints.push({ url, secrets: [WEBHOOK_SECRET], events: EVENTS })
      await service.close()
      sending = setInterval(() => void server.work(), SEND_EVERY_MS)
      return [
        { shop, pay: (checkoutUrl, url) => payAtStripe(server, checkoutUrl, url) },
        { shop: testShop, pay: payAtBank },
      ]
    },
    expectBooks: (orders) => expectBooks(stripe as StripeServer, orders),
    async close() {
      clearInterval(sending)
      await stripe?.close()
    },
  }
}

async function openLiveShop(live: Context, sandbox: Context) {
  const shop = await openShop(live, {
    callbackUrl: `${SHOP}/callback`,
    onboard: (merchantId) => onboard({ ctx: sandbox }, merchantId),
  })
  const { id: accountId } = live.routes.route_a
  await allowAccount(live, { accountId, merchantId: shop.merchantId, allowed: true })
  return shop
}

/** Pays on Stripe's page. */
async function payAtStripe(
  { origin }: StripeServer,
  checkoutUrl: string,
  serviceUrl: string,
): Promise<boolean> {
  const body = new URLSearchParams({ card: 'visa' })
  const page = checkoutUrl.replace(STRIPE_PAGES, origin)
  const chosen = await fetch(page, { method: 'POST', body, redirect: 'manual' })
  if (chosen.status !== 303) return false
  await browse(chosen.headers.get('location') ?? '', serviceUrl).catch(() => {})
  return true
}

/** Stripe has taken the money of each paid order once, and has given half of it back once. */
function expectBooks({ books }: StripeServer, orders: readonly Order[]): void {
  const account = [...books.accounts.values()][0]
  const charges = [...(account?.charges.values() ?? [])]
  const paid = orders.filter(({ isPaid, id }) => isPaid && !/^pay_test_/.test(id ?? ''))
  console.info(`${paid.length} live payments, ${charges.length} charges at Stripe`)
  expect(paid.length).toBeGreaterThan(0)
  expect(charges.map(({ amount_captured, amount_refunded }) => [amount_captured, amount_refunded])).toEqual(
    paid.map(() => [1900, 950]),
  )
}
