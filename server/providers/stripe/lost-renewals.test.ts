/**
 * Renewals at Stripe whose request or answer gets lost. Stripe keeps a 500 under its key for a day, so the charge cannot be made
 * under that key any more, and the buyer's bank has declined nothing.
 */
import { afterEach, expect, test } from 'vitest'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { createSubscription, createToken, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { openStripeShop, STRIPE_KEY } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const QUARTER_MS = 15 * 60_000
const HOUR_MS = 4 * QUARTER_MS
const DAY_MS = 24 * HOUR_MS

const { kassa, scene, shop } = closeAfter(await openStripeShop())
// The next test must not charge this test's subscription.
afterEach(() => kassa.ctx.db.query('update sandbox.subscriptions set due_at = null'))

let boxes = 0
/** A subscription whose first period is paid, just before its second one begins. */
async function subscribe(interval: 'day' | 'month'): Promise<string> {
  const saving = await createToken(kassa.url, shop)
  const page = scene.sessionAt({ url: saving.body.setupUrl })
  scene.buyer({ url: saving.body.setupUrl }, 'visa')
  await fetch(page.success_url ?? '', { redirect: 'manual' })
  const terms = { merchantSubscriptionId: `box-${++boxes}`, interval }
  const body = subscriptionRequest(saving.body.token.id, terms)
  const { id } = (await createSubscription(kassa.url, shop, { body })).body.subscription
  await SWEEPS.renewals(kassa.ctx)
  const { nextChargeAt } = (await find(id)) ?? {}
  await advance((nextChargeAt?.getTime() ?? 0) - kassa.clock.now().getTime() - QUARTER_MS / 2)
  return id
}
const find = (id: string) => findSubscription(kassa.ctx.db, shop.merchantId, id)
const chargesOf = (subscriptionId: string) =>
  listSubscriptionCharges(kassa.ctx.db, { merchantId: shop.merchantId, subscriptionId })
const statesOf = async (id: string) =>
  (await chargesOf(id)).map(({ period, attempt, state }) => `${period}/${attempt} ${state}`)
/** What Stripe has charged, the oldest first. */
const taken = () => [...scene.account.intents.values()].filter(({ status }) => status === 'succeeded')
const sent = () => scene.server.writes.filter(({ path }) => path === '/v1/payment_intents')

async function advance(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await scene.later(ms)
}

type Sent = { key: string; hour: number }
/**
 * The worker works for so many hours, once in each `step` of them. Returns the charges that were sent, and each status that the
 * subscription had.
 */
async function workFor(
  id: string,
  hours: number,
  { from = 0, step = 1 } = {},
): Promise<{ sent: Sent[]; statuses: string[] }> {
  const seen: Sent[] = []
  const statuses = new Set<string>()
  let known = sent().length
  for (let hour = from; hour < from + hours; hour += step) {
    await advance(step * HOUR_MS)
    for (const sweep of ['renewals', 'statusSync', 'renewals'] as const) await SWEEPS[sweep](kassa.ctx)
    seen.push(
      ...sent()
        .slice(known)
        .map(({ key }) => ({ key, hour })),
    )
    known = sent().length
    statuses.add((await find(id))?.status ?? '')
  }
  return { sent: seen, statuses: [...statuses] }
}

test('a charge that Stripe answers with a 500 is made under another key when the first one is forgotten, and nobody is dunned', async () => {
  const id = await subscribe('month')
  const before = taken().length
  scene.server.spoilNextWrite('broken_before')
  // The hours around the end of the day count.
  const parts = [
    await workFor(id, 2),
    await workFor(id, 20, { from: 2, step: 5 }),
    await workFor(id, 4, { from: 22 }),
    await workFor(id, 4, { from: 26, step: 2 }),
  ]
  const worked = {
    sent: parts.flatMap((part) => part.sent),
    statuses: [...new Set(parts.flatMap((part) => part.statuses))],
  }
  expect([await statesOf(id), worked.statuses]).toEqual([['1/1 paid', '2/1 lost', '2/2 paid'], ['active']])
  expect(taken().length - before).toBe(1)
  const [first = '', second = ''] = new Set(worked.sent.map(({ key }) => key))
  const hoursOf = (key: string) => worked.sent.filter((each) => each.key === key).map(({ hour }) => hour)
  expect(Math.max(...hoursOf(first))).toBeLessThan(24)
  // A request that is still on its way has arrived by then.
  expect(Math.min(...hoursOf(second))).toBeGreaterThanOrEqual(Math.max(24, Math.max(...hoursOf(first)) + 1))
})

test('a daily subscription loses no period by it', { tags: ['long'] }, async () => {
  const id = await subscribe('day')
  const before = taken().length
  scene.server.spoilNextWrite('broken_before')
  const { statuses } = await workFor(id, 30)
  expect([await statesOf(id), statuses]).toEqual([
    ['1/1 paid', '2/1 lost', '2/2 paid', '3/1 paid'],
    ['active'],
  ])
  expect(taken().length - before).toBe(2)
})

test('a charge that Stripe makes after its 500 is found, and no other is sent', async () => {
  const id = await subscribe('month')
  const before = taken().length
  scene.server.spoilNextWrite('broken_before')
  await workFor(id, 20, { step: 5 })
  // Stripe repairs what a 500 has left, and its reply under the key stays.
  const repaired = await fetch(`${scene.server.origin}/v1/payment_intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${STRIPE_KEY}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: sent().at(-1)?.body ?? '',
  })
  expect(repaired.status).toBe(200)
  await workFor(id, 30, { step: 3 })
  expect([await statesOf(id), taken().length - before]).toEqual([['1/1 paid', '2/1 paid'], 1])
})

test('a charge that never arrived is made again if the service was down until Stripe had forgotten its key', async () => {
  const id = await subscribe('day')
  const before = taken().length
  scene.server.spoilNextWrite('cut_off')
  await advance(QUARTER_MS)
  await SWEEPS.renewals(kassa.ctx)
  expect(await statesOf(id)).toEqual(['1/1 paid', '2/1 open'])
  await advance(DAY_MS)
  const { statuses } = await workFor(id, 2)
  expect([await statesOf(id), statuses]).toEqual([
    ['1/1 paid', '2/1 lost', '2/2 paid', '3/1 paid'],
    ['active'],
  ])
  expect(taken().length - before).toBe(2)
})

test('a charge is found by its customer, however many other orders the account has', async () => {
  const id = await subscribe('month')
  const [session] = scene.account.sessions.values()
  if (!session) throw new Error('no session')
  const created = Math.floor(scene.now().getTime() / 1_000)
  const { sessions } = scene.account
  const filler = { ...session, created, client_reference_id: null, metadata: {} }
  for (let index = 0; index < 2_100; index++)
    sessions.set(`cs_test_filler${index}`, { ...filler, id: `cs_test_filler${index}` })
  const before = taken().length
  scene.server.spoilNextWrite('broken')
  await workFor(id, 1)
  expect([await statesOf(id), taken().length - before]).toEqual([['1/1 paid', '2/1 paid'], 1])
})
