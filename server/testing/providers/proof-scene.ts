/**
 * `account test --pay` against the simulated providers: a Kassa with an account of each, in one step and in two, and a person who pays as
 * soon as the command prints the page.
 */
import { findAccount } from '../../accounts/choice.ts'
import { isOpen } from '../../payments/status.ts'
import { findTestMerchant } from '../../proof/merchant.ts'
import { openTestOrder } from '../../proof/steps.ts'
import { EVENTS } from '../../providers/stripe/inbound.ts'
import { listPayments } from '../../storage/search/list.ts'
import { payAtBank } from '../calls.ts'
import { type Kassa, startKassa } from '../harness.ts'
import { operateHere } from '../operator.ts'
import {
  actAsBuyer,
  addWebhook,
  CLIENT_ID,
  CLIENT_SECRET,
  startPaypalServer,
  WEBHOOK_ID,
} from './paypal-server.ts'
import { routeSettings } from './route-settings.ts'
import { choose } from './stripe/checkout.ts'
import { startStripeServer } from './stripe-server.ts'

const ROUTES = {
  stripe: 'route_a',
  stripe_two: 'route_b',
  paypal: 'route_c',
  paypal_two: 'route_d',
  bank: 'route_e',
} as const
export type ProofName = keyof typeof ROUTES
export type ProofScene = Awaited<ReturnType<typeof setProofScene>>

const TWO = { id: 'client-of-two-steps', secret: 'planted-secret-of-two-steps', webhook: 'WEBHOOK0002' }
/** What nobody may find in a recording, besides what a test plants. */
export const CREDENTIALS = [
  'planted_key_of_the_proof',
  'planted_secret_of_the_proof',
  'acct_simulatedProof',
  CLIENT_ID,
  CLIENT_SECRET,
  WEBHOOK_ID,
]
const PROOF_KEY = 'sk_test_planted_key_of_the_proof'
const SIGNING = 'whsec_planted_secret_of_the_proof'

/** The simulators, with an account in one step and one in two. `spoil`: changes the text of each answer on its way to the driver. */
async function startProviders(spoil: ((text: string) => string) | undefined) {
  const now = () => new Date()
  const stripe = await startStripeServer(now)
  const paypal = await startPaypalServer(now, (_request, reply) => {
    if (spoil) reply.text = spoil(reply.text)
  })
  const two = paypal.paypal.openAccount(TWO.id, TWO.secret)
  const shops = {
    stripe: stripe.openAccount('acct_simulatedProof', [PROOF_KEY]),
    stripe_two: stripe.openAccount('acct_simulatedTwoSteps', [`${PROOF_KEY}2`]),
  }
  if (spoil) stripe.spoilAnswers(spoil)
  // As much as the providers may show.
  paypal.paypal.world.isFull = true
  for (const shop of Object.values(shops)) shop.isFull = true
  return { stripe, paypal, two, shops }
}

type Providers = Awaited<ReturnType<typeof startProviders>>

function settingsOf({ stripe, paypal, shops }: Providers): Record<string, string> {
  const ofStripe = (name: keyof typeof shops, key: string) => ({
    DRIVER: 'stripe',
    ACCOUNT: shops[name].id,
    SECRET_KEY: key,
    WEBHOOK_SECRET: SIGNING,
    API_BASE: stripe.origin,
    STEPS: name === 'stripe' ? 'one' : 'two',
  })
  const ofPaypal = { DRIVER: 'paypal', ENVIRONMENT: 'sandbox', ADDRESS: paypal.origin }
  return {
    ...routeSettings('ROUTE_A', ofStripe('stripe', PROOF_KEY)),
    ...routeSettings('ROUTE_B', ofStripe('stripe_two', `${PROOF_KEY}2`)),
    ...routeSettings('ROUTE_C', {
      ...ofPaypal,
      CLIENT_ID,
      CLIENT_SECRET,
      WEBHOOK_ID,
      SAVED_METHODS: 'enabled',
      RENEWALS: 'enabled',
    }),
    ...routeSettings('ROUTE_D', {
      ...ofPaypal,
      CLIENT_ID: TWO.id,
      CLIENT_SECRET: TWO.secret,
      WEBHOOK_ID: TWO.webhook,
      STEPS: 'two',
    }),
  }
}

/** Returns what pays at a page, and lets the provider call back. The browser does not come back. */
function buyerOf({ stripe, paypal, shops }: Providers) {
  return async (name: ProofName, url: string): Promise<void> => {
    if (name === 'stripe' || name === 'stripe_two') {
      const session = shops[name].sessions.get(new URL(url).pathname.split('/').at(-1) ?? '')
      if (!session) throw new Error('Stripe has no such session')
      choose(stripe.books, shops[name], session, 'visa')
    } else if (name === 'bank') await payAtBank(url, 'paid')
    else await actAsBuyer(url, 'pay')
    await stripe.work()
    for (const { url: to, headers, body } of paypal.takeSent())
      await (await fetch(to, { method: 'POST', headers, body })).text()
  }
}

export async function setProofScene({ spoil }: { spoil?: (text: string) => string } = {}) {
  const providers = await startProviders(spoil)
  const settings = { ...settingsOf(providers), ROUTE_E_DRIVER: 'sandbox' }
  const kassa = await startKassa({ settings })
  const accountOf = (name: ProofName) => kassa.ctx.routes[ROUTES[name]].id
  const callbackOf = (name: ProofName) => `${kassa.url}/callbacks/${accountOf(name)}`
  for (const name of ['stripe', 'stripe_two'] as const)
    providers.shops[name].endpoints.push({ url: callbackOf(name), secrets: [SIGNING], events: EVENTS })
  addWebhook(providers.paypal, callbackOf('paypal'))
  const { webhook: id } = TWO
  providers.two.webhooks.set(id, { id, url: callbackOf('paypal_two'), events: ['*'] })
  const pay = buyerOf(providers)
  const operate = (...args: string[]) => operateHere(async () => kassa.ctx, ['account', ...args])
  return {
    kassa,
    settings: { ...settings, DATABASE_URL: kassa.databaseUrl },
    accountOf,
    operate,
    pay,
    ...paymentsOf(kassa, accountOf, pay),
    /** Runs the command. `buyer`: plays the person; by default the person pays. */
    async run(
      name: ProofName,
      args: string[] = [],
      { buyer = pay, stopped }: { buyer?: typeof pay; stopped?: AbortSignal } = {},
    ) {
      const acts: Promise<void>[] = []
      const done = await operateHere(
        async () => kassa.ctx,
        ['account', 'test', '--account', accountOf(name), '--pay', ...args],
        {
          ...(stopped && { stopped }),
          heard(text) {
            const [, url] = /^(?:Pay|Save one) there .*: (http\S+)$/m.exec(text) ?? []
            if (url) acts.push(buyer(name, url))
          },
        },
      )
      await Promise.all(acts)
      return done
    },
    async close() {
      await kassa.close()
      await providers.stripe.close()
      await providers.paypal.close()
    },
  }
}

function paymentsOf({ ctx }: Kassa, accountOf: (name: ProofName) => string, pay: ReturnType<typeof buyerOf>) {
  return {
    /** The statuses of the payments of the tests of this account, the oldest first. */
    async statuses(name: ProofName): Promise<string[]> {
      const all = await listPayments(ctx.db, { limit: 100 })
      const own = all.filter(({ attempt }) => attempt.accountId === accountOf(name))
      return own.map(({ status }) => status).toReversed()
    },
    /** Leaves a paid payment behind, as a test that was killed after its buyer had paid. Returns its id. */
    async leavePaid(name: ProofName): Promise<string> {
      const account = await findAccount(ctx, accountOf(name))
      if (!account) throw new Error('there is no such account')
      const opened = await openTestOrder(
        {
          ctx,
          account,
          merchantId: await findTestMerchant(ctx),
          opened: new Set(),
          amountMinor: 100,
          currency: 'EUR',
          waitMs: 60_000,
          signal: new AbortController().signal,
          report: () => {},
        },
        'an order',
      )
      await pay(name, opened.attempt.checkoutUrl ?? '')
      return opened.id
    },
    /** The payment of a test of this account, begun after `since`, that waits for its buyer. */
    async waiting(name: ProofName, since: Date) {
      const all = await listPayments(ctx.db, { limit: 100 })
      return all.find(
        ({ attempt, status, createdAt }) =>
          createdAt >= since &&
          attempt.accountId === accountOf(name) &&
          attempt.state === 'open' &&
          isOpen(status),
      )
    },
    async statusOf(id: string): Promise<string | undefined> {
      return (await listPayments(ctx.db, { limit: 100 })).find((each) => each.id === id)?.status
    },
  }
}
