/** The simulated PayPal for the conformance suite of drivers. */
import type { Opened } from '../../providers/driver.ts'
import { sumOf } from '../../providers/paypal/money.ts'
import { PaypalSettings } from '../../providers/paypal/settings.ts'
import { vaultStateOf } from '../../providers/paypal/vault.ts'
import type { CausedFault, DriverSimulator, RefusedCall, RefusedCause } from './driver-bench.ts'
import type { SimOrder } from './paypal/books.ts'
import { LATE_MS } from './paypal/faults.ts'
import type { Reply, SimRequest } from './paypal/reply.ts'
import {
  actAsBuyer,
  addWebhook,
  CLIENT_ID,
  CLIENT_SECRET,
  orderOf,
  type PaypalServer,
  startPaypalServer,
  WEBHOOK_ID,
} from './paypal-server.ts'

/** The account of somebody else, with a webhook of its own. */
const OTHER = { CLIENT_ID: 'client-of-somebody-else', CLIENT_SECRET: 'not-the-secret-of-it' }

/** `isFull`: answers have every field that PayPal may show. */
const CREATION = /^POST \/v2\/checkout\/orders$/
const denied = (request: RegExp) => ({ request, status: 403, issue: 'PERMISSION_DENIED' }) as const
const REFUSALS: Record<RefusedCause, PaypalServer['account']['refusals'][number]> = {
  account: { request: CREATION, status: 422, issue: 'PAYEE_ACCOUNT_RESTRICTED' },
  amount: { request: CREATION, status: 422, issue: 'MAX_VALUE_EXCEEDED' },
  payment: denied(CREATION),
  refund: denied(/\/refund$/),
  partial_refund: denied(/\/refund$/),
  capture: denied(/\/authorizations\/[^/]+\/capture$/),
  void: denied(/\/void$/),
  tokenization: denied(/^POST \/v3\/vault\/setup-tokens$/),
  subscriptions: denied(CREATION),
  // PayPal ends no order.
  withdraw: denied(/^$/),
}

/** The requests that PayPal refuses because of the account. */
const REFUSED_AT: Record<RefusedCall, RegExp | null> = {
  startCheckout: CREATION,
  lookUp: /^GET \/v2\/checkout\/orders\//,
  finalize: /\/orders\/[^/]+\/(capture|authorize)$/,
  withdraw: null,
  refund: /\/refund$/,
  capture: /\/authorizations\/[^/]+\/capture$/,
  void: /\/void$/,
  saveToken: /^POST \/v3\/vault\/setup-tokens$/,
  lookUpToken: /^GET \/v3\/vault\/payment-tokens\//,
  chargeToken: CREATION,
  revokeToken: /^DELETE /,
}

export async function startPaypalBench(
  onExchange?: (request: SimRequest, reply: Reply) => void,
  isFull = false,
): Promise<DriverSimulator<PaypalSettings>> {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const server = await startPaypalServer(now, onExchange)
  const { paypal } = server
  paypal.world.isFull = isFull
  addWebhook(server, 'https://kassa.example/callbacks/acc_test_suite')

  return {
    origin: server.origin,
    settings: (origin, { credentials, steps }) =>
      PaypalSettings.parse({
        ENVIRONMENT: 'sandbox',
        ...(credentials === 'right' ? { CLIENT_ID, CLIENT_SECRET } : OTHER),
        WEBHOOK_ID,
        ADDRESS: origin,
        STEPS: steps,
        SAVED_METHODS: 'enabled',
      }),
    now,
    async advance(ms) {
      aheadMs += ms
      paypal.work()
    },
    ...buyersOf(server, now),
    ...booksOf(server),
    writes: [
      { call: 'chargeToken', path: /\/checkout\/orders$/, body: /"vault_id"/ },
      { call: 'startCheckout', path: /\/checkout\/orders$/ },
      { call: 'finalize', path: /\/checkout\/orders\/[^/]+\/(capture|authorize)$/ },
      { call: 'refund', path: /\/captures\/[^/]+\/refund$/ },
      { call: 'capture', path: /\/authorizations\/[^/]+\/capture$/ },
      { call: 'void', path: /\/authorizations\/[^/]+\/void$/ },
    ],
    async callbacks() {
      return server.takeSent().map(({ url, headers, body }) => ({
        method: 'POST' as const,
        path: new URL(url).pathname,
        query: {},
        headers,
        body: Buffer.from(body),
      }))
    },
    causeFault: (what: CausedFault) => ({ description: `simulate:${what}` }),
    causeRefusal(cause, at) {
      const request = at && REFUSED_AT[at]
      const own = request && ({ request, status: 422, issue: 'PAYEE_ACCOUNT_RESTRICTED' } as const)
      server.account.refusals = cause ? [own ?? REFUSALS[cause]] : []
      return {}
    },
    laterMs: LATE_MS + 5_000,
    close: server.close,
  }
}

/** What people do on PayPal's pages. */
function buyersOf(
  { paypal, account }: PaypalServer,
  now: () => Date,
): Pick<DriverSimulator<PaypalSettings>, 'buyer' | 'saver'> {
  const pageOf = (opened: Opened) => {
    if (opened.kind !== 'redirect') throw new Error('PayPal wants a redirect')
    return opened.url
  }
  /** Takes the money of an approved order, as the core does with `finalize`. */
  function finalize(url: string): void {
    const id = new URL(url).searchParams.get('token') ?? ''
    const { intent } = account.orders.get(id) ?? { intent: 'CAPTURE' }
    account.accessTokens.set('of-the-core', new Date(now().getTime() + 60_000))
    paypal.answer({
      method: 'POST',
      url: `/v2/checkout/orders/${id}/${intent === 'CAPTURE' ? 'capture' : 'authorize'}`,
      headers: { authorization: 'Bearer of-the-core' },
      body: '{}',
    })
  }
  return {
    async buyer(opened, does) {
      const url = pageOf(opened)
      await actAsBuyer(url, does === 'approve' ? 'pay' : does)
      if (does === 'pay' || does === 'decline') finalize(url)
    },
    async saver(opened, does) {
      await actAsBuyer(pageOf(opened), does === 'save' ? 'pay' : does === 'cancel' ? 'cancel' : 'decline')
    },
  }
}

/** What PayPal has recorded about an order and a saved account. */
function booksOf(
  server: PaypalServer,
): Pick<DriverSimulator<PaypalSettings>, 'books' | 'charges' | 'forget' | 'language'> {
  return {
    async language(reference) {
      return orderOf(server, reference)[0]?.pages?.locale ?? null
    },
    async books(reference) {
      const orders = orderOf(server, reference)
      if (orders.length === 0) throw new Error(`PayPal has no order ${reference}`)
      return {
        orders: orders.length,
        authorizedMinor: sumAll(orders, ({ authorizations }) => authorizations),
        capturedMinor: sumAll(orders, ({ captures }) => captures),
        refundedMinor: sumAll(orders, ({ refunds }) =>
          refunds.filter(({ status }) => status === 'COMPLETED'),
        ),
        isReversed: orders.some(({ authorizations }) =>
          authorizations.some(({ status }) => status === 'VOIDED'),
        ),
      }
    },
    async forget(reference) {
      for (const { id } of orderOf(server, reference)) server.account.orders.delete(id)
    },
    async charges({ state }) {
      const { token } = vaultStateOf(state)
      const orders = [...server.account.orders.values()]
      return orders.filter(({ vaultId, captures }) => vaultId === token && captures.length > 0).length
    },
  }
}

function sumAll(
  orders: SimOrder[],
  of: (order: SimOrder) => { amount: SimOrder['unit']['amount'] }[],
): number {
  return sumOf(orders.flatMap(of).map(({ amount }) => amount))
}
