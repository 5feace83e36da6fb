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

type Moment = (typeof MOMENTS)[number]

let scene: StripeScene
let proxy: FaultProxy
let kassa: Kassa
let shop: Shop
const subscriptions: string[] = []
/** What Stripe had before the requests. */
let before: Record<'sessions' | 'intents', number>
/** How many of each Stripe had more when the process died. */
let atDeath: number[]
const countNew = (what: 'sessions' | 'intents') => scene.account[what].size - before[what]

beforeAll(async () => {
  scene = await setStripeScene()
  proxy = await startFaultProxy(scene.server.origin)
  kassa = await startKassa({ settings: stripeSettings('ROUTE_A', proxy.url) })
  shop = await openShop(kassa.ctx)
  // The process that is killed works on both at once, because both are due before it starts.
  for (const moment of MOMENTS) {
    const body = subscriptionRequest(await saveCard(), { merchantSubscriptionId: `killed-${moment}` })
    subscriptions.push((await createSubscription(kassa.url, shop, { body })).body.subscription.id)
  }
  before = { sessions: scene.account.sessions.size, intents: scene.account.intents.size }
  await killAtRequests()
  atDeath = [countNew('sessions'), countNew('intents')]
  await workFor(3, MINUTE_MS)
})
afterAll(async () => {
  await kassa.close()
  await proxy.close()
  await scene.close()
})

async function saveCard(): Promise<string> {
  const { body } = await createToken(kassa.url, shop)
  const page = scene.sessionAt({ url: body.setupUrl })
  scene.buyer({ url: body.setupUrl }, 'visa')
  await fetch(page.success_url ?? '', { redirect: 'manual' })
  return body.token.id
}

const opening = (moment: Moment) => ({
  key: `killed-${moment}`,
  body: sessionRequest({ merchantOrderId: `killed-${moment}` }),
})

/** One process is killed while Stripe has all these requests of it. */
async function killAtRequests(): Promise<void> {
  const hold = (moment: Moment, end: string) =>
    proxy.hold(moment, (method, path) => method === 'POST' && path.endsWith(end))
  const charges = MOMENTS.map((moment) => hold(moment, '/payment_intents'))
  const openings = MOMENTS.map((moment) => hold(moment, '/checkout/sessions'))
  const settings = stripeSettings('ROUTE_A', proxy.url)
  const killed = await spawnKilledKassa(kassa, settings, [...charges, ...openings])
  for (const [number, moment] of MOMENTS.entries()) {
    void createSession(killed.url, shop, opening(moment)).catch(() => {})
    await openings[number]
  }
  await killed.ended
}

/** Moves Stripe's clock and ours together, and does after each step what the worker does. */
async function workFor(steps: number, stepMs: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    kassa.clock.advance(stepMs)
    await scene.later(stepMs)
    for (const sweep of ['abandonedKeys', 'statusSync', 'renewals'] as const) await SWEEPS[sweep](kassa.ctx)
  }
}

test('the killed process leaves at Stripe what Stripe has acted on', () => {
  expect(atDeath).toEqual([1, 1])
})

test.each(MOMENTS)('at the opening of a checkout (%s): one is open', async (moment) => {
  const again = await createSession(kassa.url, shop, opening(moment))
  expect([again.status, again.body.status]).toEqual([200, 'pending_redirect'])
  expect(countNew('sessions')).toBe(MOMENTS.length)
  scene.buyer({ url: again.body.providerCheckoutUrl }, 'visa')
  expect((await lookUp(kassa.url, shop, again.body.id)).body.status).toBe('paid')
})

test('at the charges of renewals: each is paid once', async () => {
  const { size } = scene.account.intents
  // A charge that was never made expires, and the subscription's next attempt is made within these hours.
  await workFor(60, HOUR_MS)
  const charges = await Promise.all(subscriptions.map((id) => chargesOf(kassa, id)))
  expect(charges.sort((one, other) => one.length - other.length)).toEqual([['paid'], ['expired', 'paid']])
  expect(scene.account.intents.size - size).toBe(1)
})
