/** The simulated Stripe for the conformance suite of drivers. */
import type { CheckoutRequest, Opened, RawInbound } from '../../providers/driver.ts'
import { EVENTS } from '../../providers/stripe/inbound.ts'
import { StripeSettings } from '../../providers/stripe/settings.ts'
import { REFERENCE } from '../../providers/stripe/shapes.ts'
import type { DriverSimulator, RefusedCall, RefusedCause } from './driver-bench.ts'
import { type Account, sessionOf } from './stripe/books.ts'
import type { CardName } from './stripe/cards.ts'
import { choose } from './stripe/checkout.ts'
import { startStripeServer } from './stripe-server.ts'

export const ACCOUNT = 'acct_simulatedShop'
export const KEY = 'sk_test_simulatedKey0001'
const SECRET = 'whsec_simulated_secret_0001'
/** What a restricted key is not allowed. */
const FORBIDDEN: Partial<Record<RefusedCause, string[]>> = {
  payment: ['POST checkout/sessions'],
  refund: ['POST refunds'],
  capture: ['POST payment_intents/:id/capture'],
  void: ['POST payment_intents/:id/cancel'],
  tokenization: ['POST checkout/sessions'],
  subscriptions: ['POST payment_intents'],
}
/** The requests that Stripe refuses because of the account. */
const REFUSED_AT: Record<RefusedCall, RegExp | null> = {
  startCheckout: /^POST checkout\/sessions$/,
  lookUp: /^GET checkout\/sessions\/:id$/,
  finalize: null,
  withdraw: /\/expire$/,
  refund: /^POST refunds$/,
  capture: /\/capture$/,
  void: /\/cancel$/,
  saveToken: /^POST checkout\/sessions$/,
  lookUpToken: /^GET payment_methods\/:id$/,
  chargeToken: /^POST payment_intents$/,
  revokeToken: /\/detach$/,
}
const SAVED: Record<string, CardName> = { save: 'visa', save_and_decline: 'saved_then_declines' }

const WRITES: DriverSimulator<StripeSettings>['writes'] = [
  { call: 'startCheckout', path: /\/checkout\/sessions$/, body: /(^|&)mode=payment/ },
  { call: 'chargeToken', path: /\/payment_intents$/ },
  { call: 'refund', path: /\/refunds$/ },
  { call: 'capture', path: /\/payment_intents\/[^/]+\/capture$/ },
  { call: 'void', path: /\/payment_intents\/[^/]+\/cancel$/ },
]

/** `isFull`: answers have every field that Stripe may show. */
export async function startStripeBench(isFull = false): Promise<DriverSimulator<StripeSettings>> {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  let sent: RawInbound[] = []
  const stripe = await startStripeServer(now, async (url, headers, body) => {
    sent.push({ method: 'POST', path: new URL(url).pathname, query: {}, headers, body: Buffer.from(body) })
    return 200
  })
  const account = stripe.openAccount(ACCOUNT, [KEY])
  account.isFull = isFull
  const url = 'https://kassa.example/callbacks/acc_test_suite'
  account.endpoints.push({ url, secrets: [SECRET], events: EVENTS })
  const { books } = stripe

  function sessionAt(opened: Opened) {
    if (opened.kind !== 'redirect') throw new Error('Stripe wants a redirect')
    const session = account.sessions.get(new URL(opened.url).pathname.split('/').at(-1) ?? '')
    if (!session) throw new Error('Stripe has no such session')
    return session
  }

  return {
    origin: stripe.origin,
    settings: (origin, { credentials, steps }) =>
      StripeSettings.parse({
        ACCOUNT,
        SECRET_KEY: credentials === 'right' ? KEY : 'sk_test_ofSomebodyElse',
        WEBHOOK_SECRET: credentials === 'right' ? SECRET : 'whsec_of_somebody_else',
        STEPS: steps,
        API_BASE: origin,
      }),
    now,
    async advance(ms) {
      aheadMs += ms
      while ((await stripe.work()) > 0);
    },
    async buyer(opened, does) {
      const session = sessionAt(opened)
      if (session.status !== 'open') throw new Error('the page is over')
      if (does === 'pay') choose(books, account, session, 'visa')
      if (does === 'decline') choose(books, account, session, 'insufficient_funds')
    },
    async saver(opened, does) {
      const card = SAVED[does]
      if (card) choose(books, account, sessionAt(opened), card)
    },
    ...booksOf(account),
    writes: WRITES,
    async callbacks() {
      await stripe.work()
      const all = sent
      sent = []
      return all
    },
    causeFault: (what) => ({ description: `simulate ${what === 'disputed' ? 'dispute_won' : what}` }),
    causeRefusal: (cause, at) => refuseFor(account, cause, at),
    laterMs: 35_000,
    close: stripe.close,
  }
}

/** What Stripe has recorded about an order and a saved card. */
function booksOf(
  account: Account,
): Pick<DriverSimulator<StripeSettings>, 'books' | 'charges' | 'forget' | 'language'> {
  return {
    async language(reference) {
      const sessions = [...account.sessions.values()]
      return sessions.find((each) => each.client_reference_id === reference)?.locale ?? null
    },
    async books(reference) {
      const intents = [...account.intents.values()].filter(
        ({ metadata }) => metadata[REFERENCE] === reference,
      )
      const [intent] = intents
      if (!intent) throw new Error(`Stripe has no payment ${reference}`)
      const refunds = [...account.refunds.values()].filter(
        ({ payment_intent, status, reason }) =>
          payment_intent === intent.id && status === 'succeeded' && reason !== 'expired_uncaptured_charge',
      )
      const sessions = [...account.sessions.values()].filter(
        ({ client_reference_id }) => client_reference_id === reference,
      )
      return {
        orders: Math.max(sessions.length, intents.length),
        authorizedMinor: intent.amount_capturable || intent.amount_received,
        capturedMinor: intent.amount_received,
        refundedMinor: refunds.reduce((sum, { amount }) => sum + amount, 0),
        isReversed: intent.status === 'canceled',
      }
    },
    async forget(reference) {
      for (const [id, { client_reference_id }] of account.sessions)
        if (client_reference_id === reference) account.sessions.delete(id)
      for (const [id, { metadata }] of account.intents)
        if (metadata[REFERENCE] === reference) account.intents.delete(id)
    },
    charges: async ({ state }) => {
      const { method } = state as { method: string }
      return [...account.intents.values()].filter(
        (intent) =>
          intent.payment_method === method && intent.status === 'succeeded' && !sessionOf(account, intent.id),
      ).length
    },
  }
}

/** Returns what an attempt needs for the refusal. */
function refuseFor(account: Account, cause: RefusedCause | null, at?: RefusedCall): Partial<CheckoutRequest> {
  account.forbidden.clear()
  account.isActivated = cause !== 'account' || at !== undefined
  const refused = at && REFUSED_AT[at]
  account.refusals = cause && refused ? [{ endpoint: refused, status: 403, code: 'account_invalid' }] : []
  for (const endpoint of (cause && FORBIDDEN[cause]) ?? []) account.forbidden.add(endpoint)
  // Less than Stripe's smallest amount, which it converts, so the driver does not know it.
  return cause === 'amount' ? { currency: 'AMD', amountMinor: 50 } : {}
}
