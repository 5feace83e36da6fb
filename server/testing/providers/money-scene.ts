/**
 * A shop with one route that takes money at once and one that takes it in two steps, at a provider of the conformance suite. A proxy
 * on the way loses responses, and holds requests while their process is killed.
 */

import type { KeyedWrite } from '../../providers/driver.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { findSavedMethod } from '../../storage/saved-methods/saved-methods.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askOperation, createSession, sessionRequest } from '../calls.ts'
import { openShop, startKassa } from '../harness.ts'
import { createSubscription, createToken, subscriptionRequest } from '../payments/subscriptions.ts'
import type { Books, DriverBench, DriverSimulator, MoneyCall } from './driver-bench.ts'
import { isKeyed } from './driver-scenes.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { routeSettings } from './route-settings.ts'

export type MoneyScene = Awaited<ReturnType<typeof setMoneyScene>>

/** `name`: of the driver, as accounts name it. */
export async function setMoneyScene<Settings>(name: string, bench: DriverBench<Settings>) {
  const simulator = await bench.start()
  const proxy = await startFaultProxy(simulator.origin)
  const settings = { ...routeOf(name, simulator, proxy, 'one'), ...routeOf(name, simulator, proxy, 'two') }
  const kassa = await startKassa({ settings })
  const shop = await openShop(kassa.ctx)
  const isWriteOf = (call: MoneyCall) => (method: string, path: string, sent: string) =>
    method === 'POST' &&
    simulator.writes.find(
      (write) => write.path.test(path.replace(/\?.*/, '')) && (write.body?.test(sent) ?? true),
    )?.call === call
  /** Moves both clocks, and then does everything that is due. */
  async function later(ms = 0): Promise<void> {
    kassa.clock.advance(ms)
    await simulator.advance(ms)
    for (const sweep of ['statusSync', 'moneyOperations', 'renewals'] as const) await SWEEPS[sweep](kassa.ctx)
  }
  return {
    bench,
    simulator,
    proxy,
    settings,
    kassa,
    shop,
    isWriteOf,
    later,
    isKeyed: (write: KeyedWrite) => isKeyed(bench, simulator, write),
    /** What the provider has of the payment's order. */
    async books(paymentId: string): Promise<Books> {
      const payment = await findPayment(kassa.ctx.db, shop.merchantId, paymentId)
      return simulator.books(payment?.attempt.reference ?? '')
    },
    async close() {
      await kassa.close()
      await proxy.close()
      await simulator.close()
    },
  }
}

function routeOf<Settings>(
  name: string,
  simulator: DriverSimulator<Settings>,
  proxy: FaultProxy,
  steps: 'one' | 'two',
): Record<string, string> {
  const own = simulator.settings(proxy.url, { credentials: 'right', steps }) as Record<string, unknown>
  const texts = Object.entries(own).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  )
  const all = { ...Object.fromEntries(texts), DRIVER: name, RENEWALS: 'enabled' }
  return routeSettings(steps === 'one' ? 'ROUTE_A' : 'ROUTE_B', all)
}

const AMOUNT_MINOR = 1_900
const PART_MINOR = 700
let pieces = 0

/** One piece of work that makes the driver call its provider. */
export type Piece = {
  /** Makes the Kassa at `url` do the call. Absent: its worker does it. */
  trigger?(url: string): Promise<unknown>
  /** The payment and its status, after the buyer has done what is left to do. */
  finish(): Promise<{ id: string; status: string; operation?: string }>
}

/** What is true of our payment and the provider's order when the call was carried out once. */
export const DONE: Record<MoneyCall, object> = {
  startCheckout: { status: 'paid', orders: 1, capturedMinor: AMOUNT_MINOR },
  finalize: { status: 'paid', orders: 1, capturedMinor: AMOUNT_MINOR },
  chargeToken: { status: 'paid', orders: 1, capturedMinor: AMOUNT_MINOR, charges: 1 },
  refund: { status: 'partially_refunded', orders: 1, capturedMinor: AMOUNT_MINOR, refundedMinor: PART_MINOR },
  capture: { status: 'paid', orders: 1, capturedMinor: AMOUNT_MINOR },
  void: { status: 'reversed', orders: 1, capturedMinor: 0, isReversed: true },
}

/**
 * What is true if the call never reached a provider that does not know a repetition: nothing has moved, the call is not sent again, and a
 * person decides.
 */
export const LEFT: Partial<Record<MoneyCall, object>> = {
  refund: { status: 'paid', orders: 1, refundedMinor: 0, operation: 'requires_operator_review' },
  capture: { status: 'authorized', orders: 1, capturedMinor: 0, operation: 'requires_operator_review' },
  void: { status: 'authorized', orders: 1, isReversed: false, operation: 'requires_operator_review' },
}

/** Prepares the work, so that only the call is left to do. */
export const PREPARE: Record<MoneyCall, (scene: MoneyScene) => Promise<Piece>> = {
  async startCheckout(scene) {
    const { shop, kassa } = scene
    const request = newSession('route_a')
    return {
      trigger: (url) => createSession(url, shop, request),
      async finish() {
        const { body } = await createSession(kassa.url, shop, request)
        await buy(scene, body, 'pay')
        return comeBack(scene, body.id)
      },
    }
  },

  async finalize(scene) {
    const { body } = await createSession(scene.kassa.url, scene.shop, newSession('route_a'))
    await buy(scene, body, 'approve')
    return {
      trigger: (url) => fetch(`${url}/checkout/${body.id}/return`, { redirect: 'manual' }),
      finish: () => statusOf(scene, body.id),
    }
  },

  refund: (scene) => operate(scene, 'route_a', 'refunds', { amountMinor: PART_MINOR, reason: 'returned' }),
  capture: (scene) => operate(scene, 'route_b', 'capture', {}),
  void: (scene) => operate(scene, 'route_b', 'void', { reason: 'returned' }),

  async chargeToken(scene) {
    const { kassa, shop, simulator } = scene
    const { body } = await createToken(kassa.url, shop)
    await simulator.saver({ kind: 'redirect', url: body.setupUrl }, 'save')
    await fetch(`${kassa.url}/payment-method-tokens/${body.token.id}/return`, { redirect: 'manual' })
    const terms = { merchantSubscriptionId: `box-${++pieces}`, amountMinor: AMOUNT_MINOR }
    const created = await createSubscription(kassa.url, shop, {
      body: subscriptionRequest(body.token.id, terms),
    })
    return { finish: () => chargeOf(scene, created.body.subscription.id, body.token.id) }
  },
}

function newSession(provider: string) {
  const key = `money-${++pieces}`
  return { key, body: sessionRequest({ merchantOrderId: key, provider, amountMinor: AMOUNT_MINOR }) }
}

async function buy(
  { simulator }: MoneyScene,
  { providerCheckoutUrl: url }: { providerCheckoutUrl: string },
  does: 'pay' | 'approve',
) {
  await simulator.buyer({ kind: 'redirect', url }, does)
}

async function comeBack(scene: MoneyScene, id: string) {
  await fetch(`${scene.kassa.url}/checkout/${id}/return`, { redirect: 'manual' })
  return statusOf(scene, id)
}

async function statusOf({ kassa, shop }: MoneyScene, id: string) {
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  return { id, status: payment?.status ?? 'unknown' }
}

async function operate(
  scene: MoneyScene,
  provider: string,
  what: 'refunds' | 'capture' | 'void',
  body: object,
): Promise<Piece> {
  const { kassa, shop } = scene
  const request = newSession(provider)
  const session = (await createSession(kassa.url, shop, request)).body
  await buy(scene, session, 'pay')
  await comeBack(scene, session.id)
  const answer = await askOperation(kassa.url, shop, session.id, what, { key: `do-${request.key}`, body })
  if (answer.status !== 201)
    throw new Error(`${what} is answered with ${answer.status} ${JSON.stringify(answer.body)}`)
  const { id: operationId } = answer.body.operation as { id: string }
  return {
    async finish() {
      const operation = (await findOperationById(kassa.ctx.db, operationId))?.status ?? 'unknown'
      return { ...(await statusOf(scene, session.id)), operation }
    },
  }
}

/** The subscription's last charge. `charges`: how often the saved method was charged. */
async function chargeOf({ kassa, shop, simulator }: MoneyScene, subscriptionId: string, tokenId: string) {
  const { rows } = await kassa.ctx.db.query<{ id: string; status: string }>(
    `select p.id, p.status from sandbox.subscription_charges c join sandbox.payments p on p.id = c.payment_id
     where c.subscription_id = $1 order by c.attempt desc limit 1`,
    [subscriptionId],
  )
  const method = await findSavedMethod(kassa.ctx.db, shop.merchantId, tokenId)
  const token = { reference: method?.providerReference ?? '', state: method?.providerState ?? null }
  const [last = { id: '', status: 'never begun' }] = rows
  return { ...last, charges: await simulator.charges(token) }
}
