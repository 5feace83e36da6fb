/** Calls of the Stripe driver against the simulated Stripe, and what a test needs for them. */
import { createOutbound } from '../../outbound/outbound.ts'
import type {
  CheckoutRequest,
  Opened,
  ProviderCall,
  ProviderOrder,
  RawInbound,
} from '../../providers/driver.ts'
import { createProviderNetwork, type Exchange } from '../../providers/http.ts'
import { stripeDriver } from '../../providers/stripe/driver.ts'
import { EVENTS } from '../../providers/stripe/inbound.ts'
import { StripeSettings } from '../../providers/stripe/settings.ts'
import { openShop, startKassa } from '../harness.ts'
import { routeSettings } from './route-settings.ts'
import type { Account, WebhookEndpoint } from './stripe/books.ts'
import type { CardName } from './stripe/cards.ts'
import { choose } from './stripe/checkout.ts'
import { startStripeServer } from './stripe-server.ts'

export const STRIPE_ACCOUNT = 'acct_simulatedScene'
export const STRIPE_KEY = 'sk_test_planted_key_of_the_scene'
export const STRIPE_SECRET = 'whsec_planted_secret_of_the_scene'
const CALLBACK_URL = 'https://kassa.example/callbacks/acc_test_scene'

export type StripeScene = Awaited<ReturnType<typeof setStripeScene>>

/** The account of the scene at a simulated Stripe at this address. */
const accountAt = (address: string) => ({
  ACCOUNT: STRIPE_ACCOUNT,
  SECRET_KEY: STRIPE_KEY,
  WEBHOOK_SECRET: STRIPE_SECRET,
  API_BASE: address,
})

/** Returns the settings of a route whose Stripe is at this address. */
export function stripeSettings(route: 'ROUTE_A' | 'ROUTE_B', address: string) {
  return routeSettings(route, { DRIVER: 'stripe', ...accountAt(address) })
}

/** Opens a shop whose route_a is paid at a simulated Stripe. `settings`: more settings of the shop's Kassa. */
export async function openStripeShop({ settings: more = {}, worker = false } = {}) {
  const scene = await setStripeScene()
  const settings: Record<string, string> = { ...stripeSettings('ROUTE_A', scene.server.origin), ...more }
  const kassa = await startKassa({ settings, worker })
  const shop = await openShop(kassa.ctx)
  return {
    scene,
    settings,
    kassa,
    shop,
    /** Stripe accepts the key again, and the key may do everything. */
    restoreAccount() {
      scene.account.keys.add(STRIPE_KEY)
      scene.account.expiredKeys.clear()
      scene.account.forbidden.clear()
      scene.account.isActivated = true
    },
    async close() {
      await kassa.close()
      await scene.close()
    },
  }
}

type CallChanges = Partial<Record<keyof StripeSettings, string | undefined>>

export async function setStripeScene() {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  let inbox: RawInbound[] = []
  let isAway = false
  const server = await startStripeServer(now, async (url, headers, body) => {
    if (isAway) return 503
    inbox.push({ method: 'POST', path: new URL(url).pathname, query: {}, headers, body: Buffer.from(body) })
    return 200
  })
  const account = server.openAccount(STRIPE_ACCOUNT, [STRIPE_KEY])
  const endpoint: WebhookEndpoint = { url: CALLBACK_URL, secrets: [STRIPE_SECRET], events: EVENTS }
  account.endpoints.push(endpoint)
  const exchanges: Exchange[] = []
  const callWith = callsTo(server.origin, exchanges, now)
  let orders = 0
  const attempt = (changes: Partial<CheckoutRequest> = {}) => newAttempt(++orders, now(), changes)
  const choice = (opened: { url: string }, card: CardName) =>
    choose(server.books, account, sessionAt(account, opened), card)

  return {
    server,
    account,
    endpoint,
    exchanges,
    now,
    callWith,
    attempt,
    start: (given: CheckoutRequest, call = callWith()) => start(given, call),
    sessionAt: (opened: { url: string }) => sessionAt(account, opened),
    look: (order: ProviderOrder, call = callWith()) => look(order, call),
    buyer: choice,
    /** Creates an order whose buyer has chosen this card, and looks it up. */
    async pay(changes: Partial<CheckoutRequest> = {}, card: CardName = 'visa', call = callWith()) {
      const { reference, currency, ...given } = attempt(changes)
      const opened = await start({ reference, currency, ...given }, call)
      choice(opened, card)
      const { snapshot, state } = await look({ reference, state: opened.state }, call)
      return { reference, state: state as unknown, before: snapshot, currency }
    },
    async later(ms: number) {
      aheadMs += ms
      while ((await server.work()) > 0);
    },
    /** Returns the webhooks that have arrived since the last time. */
    webhooks(): RawInbound[] {
      const all = inbox
      inbox = []
      return all
    },
    away: (is: boolean) => {
      isAway = is
    },
    close: server.close,
  }
}

/** Returns what creates a call. `settings`: changes to the scene's own settings. `live`: the call is made in the live world. */
function callsTo(origin: string, exchanges: Exchange[], now: () => Date) {
  const network = createProviderNetwork({
    outbound: createOutbound(['loopback'], { anyPort: true }),
    record: (exchange) => exchanges.push(exchange),
    onBreaker: () => {},
  })
  return (changes: CallChanges = {}, live = false): ProviderCall<StripeSettings> => {
    const settings = StripeSettings.parse({ ...accountAt(origin), ...changes })
    const from = {
      id: 'acc_test_scene',
      addresses: stripeDriver.addresses?.(settings) ?? [],
      secrets: [settings.SECRET_KEY, settings.WEBHOOK_SECRET ?? ''],
    }
    return {
      settings,
      account: { id: from.id, live, cache: network.cacheOf(from) },
      http: network.open(from, AbortSignal.timeout(10_000), 'pay_test_scene'),
      now,
      log: () => {},
    }
  }
}

function newAttempt(number: number, now: Date, changes: Partial<CheckoutRequest>): CheckoutRequest {
  return {
    reference: `scene${String(number).padStart(21, '0')}`,
    orderReference: 'order-7',
    paymentReference: `scene${String(number).padStart(21, '0')}`,
    amountMinor: 1_900,
    currency: 'USD',
    merchantName: 'Teahouse',
    description: 'Mountain tea',
    language: null,
    returnUrl: 'https://kassa.example/return',
    callbackUrl: CALLBACK_URL,
    expiresAt: new Date(now.getTime() + 90 * 60_000),
    customer: null,
    metadata: null,
    ...changes,
  }
}

async function start(
  given: CheckoutRequest,
  call: ProviderCall<StripeSettings>,
): Promise<Opened & { kind: 'redirect' }> {
  const opened = await stripeDriver.startCheckout?.(call, given)
  if (opened?.kind !== 'redirect') throw new Error(`the checkout is ${JSON.stringify(opened)}`)
  return opened
}

function sessionAt(account: Account, { url }: { url: string }) {
  const session = account.sessions.get(new URL(url).pathname.split('/').at(-1) ?? '')
  if (!session) throw new Error('Stripe has no such session')
  return session
}

async function look(order: ProviderOrder, call: ProviderCall<StripeSettings>) {
  const found = await stripeDriver.lookUp?.(call, order)
  if (found?.kind !== 'found') throw new Error(`the order is ${found?.kind}`)
  return found
}
