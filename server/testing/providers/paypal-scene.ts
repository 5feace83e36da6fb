/**
 * A shop whose buyers pay with PayPal: the simulated PayPal, a proxy that causes faults on the way, and a Kassa. The test moves
 * Kassa's clock and runs its sweeps.
 */
import { expect } from 'vitest'
import { sumOf } from '../../providers/paypal/money.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { createSession, sessionRequest } from '../calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../harness.ts'
import { send } from '../light-http.ts'
import { paymentsOf } from '../payments/placed-payment.ts'
import { createToken } from '../payments/subscriptions.ts'
import { startFaultProxy } from './fault-proxy.ts'
import type { SimOrder, Transmission } from './paypal/books.ts'
import type { Fault } from './paypal/faults.ts'
import type { SimRequest } from './paypal/reply.ts'
import {
  actAsBuyer,
  addWebhook,
  CLIENT_ID,
  CLIENT_SECRET,
  orderOf,
  startPaypalServer,
  WEBHOOK_ID,
} from './paypal-server.ts'
import { routeSettings } from './route-settings.ts'

type Steps = { steps?: 'one' | 'two' }
/** False: neither PayPal nor the account's settings know of a webhook. */
type Webhook = { webhook?: boolean }

/** Returns the settings of a route whose PayPal is at this address. */
export function paypalSettings(
  route: 'ROUTE_A' | 'ROUTE_B',
  address: string,
  { steps = 'one', webhook = true }: Steps & Webhook = {},
) {
  return routeSettings(route, {
    DRIVER: 'paypal',
    ENVIRONMENT: 'sandbox',
    CLIENT_ID,
    CLIENT_SECRET,
    ...(webhook && { WEBHOOK_ID }),
    ADDRESS: address,
    STEPS: steps,
    RENEWALS: 'enabled',
    SAVED_METHODS: 'enabled',
  })
}

export type PaypalScene = Awaited<ReturnType<typeof setPaypalScene>>

export async function setPaypalScene({
  steps = 'one',
  settings = {},
  webhook = true,
  onRequest = () => {},
}: Steps &
  Webhook & {
    settings?: Record<string, string>
    /** Gets every request that reaches PayPal. */
    onRequest?: (request: SimRequest) => void
  } = {}) {
  let aheadMs = () => 0
  const server = await startPaypalServer(() => new Date(Date.now() + aheadMs()), onRequest)
  const proxy = await startFaultProxy(server.origin)
  const kassa = await startKassa({
    settings: { ...paypalSettings('ROUTE_A', proxy.url, { steps, webhook }), ...settings },
  })
  const { ctx, clock, url } = kassa
  aheadMs = () => clock.offsetMs
  const shop = await openShop(ctx)
  const accountId = ctx.routes.route_a.id
  const callbackUrl = `${url}/callbacks/${accountId}`
  if (webhook) addWebhook(server, callbackUrl)

  /** Advances the clock, and then does everything that is due. */
  async function later(ms = 0): Promise<void> {
    clock.advance(ms)
    server.paypal.work()
    for (let round = 0; round < 2; round++) await sweep(ctx)
  }
  const payments = paymentsOf(kassa, shop, later)
  const { payment } = payments
  const orders = async (id: string) => orderOf(server, (await payment(id)).attempt.reference)

  return {
    kassa,
    server,
    proxy,
    shop,
    accountId,
    callbackUrl,
    ...buyersOf(kassa, shop, orders),
    comeBack,
    goOn: (id: string) => goOn(`${url}/checkout/${id}/continue`),
    later,
    deliver: (sent = server.takeSent()) => deliver(sent),
    ...payments,
    orders,
    expectReconciled: async (id: string) => expectReconciled(await payment(id), await orders(id)),
    async close() {
      await kassa.close()
      await proxy.close()
      await server.close()
    },
  }
}

async function sweep(ctx: Kassa['ctx']): Promise<void> {
  await SWEEPS.statusSync(ctx)
  await SWEEPS.statusSync(ctx)
  await SWEEPS.settledSync(ctx)
  await SWEEPS.moneyOperations(ctx)
}

/** What buyers do. `orders`: returns the orders of a payment at PayPal. */
function buyersOf({ url }: Kassa, shop: Shop, orders: (id: string) => Promise<SimOrder[]>) {
  let keys = 0
  async function open(changes: object = {}) {
    const key = `order-${++keys}`
    const body = sessionRequest({ merchantOrderId: key, provider: 'route_a', ...changes })
    return createSession(url, shop, { key, body })
  }
  /** The buyer pays and returns. Returns the payment's id. `fault`: the fault of this order at PayPal. */
  async function pay(fault?: Fault): Promise<string> {
    const { body } = await open()
    for (const order of await orders(body.id)) order.fault = fault
    await comeBack(await actAsBuyer(body.providerCheckoutUrl, 'pay'))
    return body.id
  }
  return { open, pay }
}

/** Follows the buyer's return. Returns where our answer sends the buyer. */
async function comeBack(location: string): Promise<string | null> {
  return (await send(location)).headers.get('location')
}

/** The buyer saves a PayPal account, or declines to pay with it later. Returns the id of its token. */
export async function saveAccount(
  { kassa, shop }: Pick<PaypalScene, 'kassa' | 'shop'>,
  outcome: 'pay' | 'decline' = 'pay',
): Promise<string> {
  const { body } = await createToken(kassa.url, shop)
  await comeBack(await actAsBuyer(body.setupUrl, outcome))
  return body.token.id
}

/** The buyer presses the pay button, or *Try again*, on our page. Returns the address of PayPal's page. */
async function goOn(button: string): Promise<string> {
  const answer = await send(button, { method: 'POST' })
  const page = answer.headers.get('location') ?? ''
  expect([answer.status, page]).toEqual([303, expect.stringContaining('/checkoutnow')])
  return page
}

/** Delivers PayPal's webhooks. Returns the statuses of our answers. */
async function deliver(sent: readonly Transmission[]): Promise<number[]> {
  const statuses = []
  for (const { url, headers, body } of sent) {
    statuses.push((await send(url, { method: 'POST', headers, body })).status)
  }
  return statuses
}

/** Expects that PayPal's records and ours agree: at most one order has money, and each write was done once. */
function expectReconciled(ours: AttemptedPayment, orders: SimOrder[]): void {
  const theirs = orders.filter(({ status }) => status === 'COMPLETED')
  expect(theirs.length).toBeLessThanOrEqual(1)
  const taken = theirs.flatMap(({ captures }) => captures)
  const refunds = theirs.flatMap((order) => order.refunds.filter(({ status }) => status === 'COMPLETED'))
  expect({
    captures: taken.length,
    capturedMinor: sumOf(taken.map(({ amount }) => amount)),
    refundedMinor: sumOf(refunds.map(({ amount }) => amount)),
  }).toEqual({
    captures: ours.capturedMinor > 0 ? 1 : 0,
    capturedMinor: ours.capturedMinor,
    refundedMinor: ours.refundedMinor,
  })
}
