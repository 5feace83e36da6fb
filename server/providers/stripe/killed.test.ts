/** A process that is killed while Stripe has its request: what Stripe did is found again, and nothing is done twice. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import {
  chargesOf,
  createSubscription,
  createToken,
  subscriptionRequest,
} from '../../testing/payments/subscriptions.ts'
import { spawnKilledKassa } from '../../testing/processes/killed-kassa.ts'
import { type FaultProxy, startFaultProxy } from '../../testing/providers/fault-proxy.ts'
import { type StripeScene, setStripeScene, stripeSettings } from '../../testing/providers/stripe-scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** `lost`: Stripe acts, and the process dies without its answer. `not_reached`: it dies before Stripe has the request. */
const MOMENTS = ['lost', 'not_reached'] as const

let scene: StripeScene
let proxy: FaultProxy
let kassa: Kassa
let shop: Shop
let settings: Record<string, string>
beforeAll(async () => {
  scene = await setStripeScene()
  proxy = await startFaultProxy(scene.server.origin)
  settings = stripeSettings('ROUTE_A', proxy.url)
  kassa = await startKassa({ settings })
  shop = await openShop(kassa.ctx)
})
afterAll(async () => {
  await kassa.close()
  await proxy.close()
  await scene.close()
})

function killedKassa(end: string, moment: (typeof MOMENTS)[number]) {
  const held = proxy.hold(moment, (method, path) => method === 'POST' && path.endsWith(end))
  return spawnKilledKassa(kassa, settings, [held])
}

/** Moves Stripe's clock and ours together, and does after each step what the worker does. */
async function workFor(steps: number, stepMs: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    kassa.clock.advance(stepMs)
    await scene.later(stepMs)
    for (const sweep of ['abandonedKeys', 'statusSync', 'renewals'] as const) await SWEEPS[sweep](kassa.ctx)
  }
}

test.each(MOMENTS)('at the opening of a checkout (%s): one is open', async (moment) => {
  const { size } = scene.account.sessions
  const killed = await killedKassa('/checkout/sessions', moment)
  const request = { key: `killed-${moment}`, body: sessionRequest({ merchantOrderId: `killed-${moment}` }) }
  await createSession(killed.url, shop, request).catch(() => {})
  await killed.ended
  expect(scene.account.sessions.size - size).toBe(moment === 'lost' ? 1 : 0)
  await workFor(3, MINUTE_MS)
  const again = await createSession(kassa.url, shop, request)
  expect([again.status, again.body.status]).toEqual([200, 'pending_redirect'])
  expect(scene.account.sessions.size - size).toBe(1)
  scene.buyer({ url: again.body.providerCheckoutUrl }, 'visa')
  expect((await lookUp(kassa.url, shop, again.body.id)).body.status).toBe('paid')
})

test.each(MOMENTS)('at the charge of a renewal (%s): it is paid once', async (moment) => {
  const saving = await createToken(kassa.url, shop)
  const page = scene.sessionAt({ url: saving.body.setupUrl })
  scene.buyer({ url: saving.body.setupUrl }, 'visa')
  await fetch(page.success_url ?? '', { redirect: 'manual' })
  const { size } = scene.account.intents
  const killed = await killedKassa('/payment_intents', moment)
  const body = subscriptionRequest(saving.body.token.id, { merchantSubscriptionId: `killed-${moment}` })
  const { id } = (await createSubscription(killed.url, shop, { body })).body.subscription
  await killed.ended
  expect(scene.account.intents.size - size).toBe(moment === 'lost' ? 1 : 0)
  // A charge that was never made expires, and the subscription's next attempt is made within these hours.
  await workFor(60, HOUR_MS)
  expect(await chargesOf(kassa, id)).toEqual(moment === 'lost' ? ['paid'] : ['expired', 'paid'])
  expect(scene.account.intents.size - size).toBe(1)
})
