/**
 * A whole Kassa with accounts at the simulated gateway of ArCa: it is asked patiently, also about orders that have ended, and its books
 * are ours.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nextQuestionAt } from '../../payments/question-schedule.ts'
import { inTransaction } from '../../storage/db.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { markRestored } from '../../storage/restores/restores.ts'
import { findSavedMethod } from '../../storage/saved-methods/saved-methods.ts'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { createSubscription, createToken, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { type MoneyScene, PREPARE, setMoneyScene } from '../../testing/providers/money-scene.ts'
import { type RbsBench, startRbsBench } from '../../testing/providers/rbs/bench.ts'
import { EMPTY_CARD, GOOD_CARD } from '../../testing/providers/rbs/cards.ts'
import { actAsBuyer, sumsOf } from '../../testing/providers/rbs/server.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { rbsDriver } from './driver.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

let bench: RbsBench
let scene: MoneyScene
beforeAll(async () => {
  bench = await startRbsBench()
  scene = await setMoneyScene('rbs', { driver: rbsDriver, start: async () => bench })
})
afterAll(() => scene.close())

let orders = 0
async function open(changes: object = {}) {
  const { kassa, shop } = scene
  const key = `arca-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, provider: 'route_a', ...changes })
  const created = await createSession(kassa.url, shop, { key, body })
  expect(created.status).toBe(201)
  const { id, providerCheckoutUrl: url } = created.body as { id: string; providerCheckoutUrl: string }
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  return { id, url, reference: payment?.attempt.reference ?? '' }
}
const statusOf = async (id: string) =>
  (await findPayment(scene.kassa.ctx.db, scene.shop.merchantId, id))?.status
const back = (id: string) => fetch(`${scene.kassa.url}/checkout/${id}/return`, { redirect: 'manual' })

test.each([
  ['AMD', 190_000],
  ['AMD', 100],
  ['USD', 1_999],
])('%s %i: the buyer pays, and the gateway has what we have', async (currency, amountMinor) => {
  const { kassa, shop } = scene
  const { id, url, reference } = await open({ currency, amountMinor })
  await actAsBuyer(url, GOOD_CARD)
  await back(id)
  const { body } = await lookUp(kassa.url, shop, id)
  expect(body).toMatchObject({ status: 'paid', amountMinor, currency })
  expect(sumsOf(bench.server, reference)).toMatchObject({ capturedMinor: amountMinor, refundedMinor: 0 })
})

test('nobody comes back from the gateway, which sends no callbacks: the payment is found by asking', async () => {
  const { id, url } = await open()
  await actAsBuyer(url, GOOD_CARD)
  for (let times = 0; times < 5; times++) await scene.later(MINUTE_MS)
  expect(await statusOf(id)).toBe('paid')
})

/** How often the gateway was asked about the order. */
function countQuestions(reference: string): number {
  const { bank, requests } = bench.server
  const id = bank.find(reference)?.id
  return requests.filter(
    ({ method, form }) => method === 'getOrderStatusExtended.do' && form.get('orderId') === id,
  ).length
}
async function days(count: number, step = 1): Promise<void> {
  for (let day = 0; day < count; day += step) {
    await scene.later(step * DAY_MS)
    await SWEEPS.settledSync(scene.kassa.ctx)
  }
}

test('an order that is over is asked about daily for 90 days, so what people at the bank change is seen', async () => {
  const declined = await open()
  for (let tries = 0; tries < 3; tries++) await actAsBuyer(declined.url, EMPTY_CARD)
  await back(declined.id)
  const left = await open()
  const never = await open()
  await days(2)
  // Somebody who is asked about daily is asked about at each of these steps.
  await days(78, 13)
  expect(await statusOf(declined.id)).toMatch(/^(failed|expired)$/)
  expect(await statusOf(left.id)).toBe('expired')
  for (const { reference } of [declined, left]) bench.server.bank.changeByHand(reference, 'paid')
  await days(2)
  expect([await statusOf(declined.id), await statusOf(left.id)]).toEqual(['paid', 'paid'])
  const asked = countQuestions(never.reference)
  await days(8)
  expect(countQuestions(never.reference) - asked).toBe(8)
  await days(2)
  const before = countQuestions(never.reference)
  await days(5)
  expect(countQuestions(never.reference)).toBe(before)
})

test('a card is saved by a real payment, and the money goes back at once', async () => {
  const { kassa, shop } = scene
  const { body } = await createToken(kassa.url, shop)
  await bench.saver({ kind: 'redirect', url: body.setupUrl }, 'save')
  await fetch(`${kassa.url}/payment-method-tokens/${body.token.id}/return`, { redirect: 'manual' })
  const [saving] = [...bench.server.bank.orders.values()].filter(({ clientId }) => clientId !== null)
  for (let times = 0; times < 3; times++) {
    await scene.later(MINUTE_MS)
    await SWEEPS.cardSavings(kassa.ctx)
  }
  expect(sumsOf(bench.server, saving?.number ?? '')).toMatchObject({
    capturedMinor: 1_000,
    refundedMinor: 1_000,
  })
})

test('the money of a saving that people at the bank change after its session goes back too, and its card is removed', async () => {
  const { kassa, shop } = scene
  const { bank } = bench.server
  const known = new Set(bank.orders.keys())
  const { body } = await createToken(kassa.url, shop)
  const [saving] = [...bank.orders].filter(([id]) => !known.has(id)).map(([, order]) => order)
  const number = saving?.number ?? ''
  await actAsBuyer(body.setupUrl, EMPTY_CARD)
  const later = async (ms: number) => {
    await scene.later(ms)
    await SWEEPS.cardSavings(kassa.ctx)
    await SWEEPS.endedSavings(kassa.ctx)
    await SWEEPS.cardRevocations(kassa.ctx)
  }
  for (const days of [1, 20, 60]) await later(days * DAY_MS)
  expect((await findSavedMethod(kassa.ctx.db, shop.merchantId, body.token.id))?.status).not.toBe('active')
  bank.changeByHand(number, 'paid')
  const [kept] = [...bank.bindings.values()].filter(({ clientId }) => clientId === number)
  expect(kept?.isActive).toBe(true)
  await later(DAY_MS)
  await scene.later(MINUTE_MS)
  expect(sumsOf(bench.server, number)).toMatchObject({ capturedMinor: 1_000, refundedMinor: 1_000 })
  expect(kept?.isActive).toBe(false)
})

test('what a charge is found with is stored before its answer, whatever becomes of the process', async () => {
  const { kassa, proxy } = scene
  const piece = await PREPARE.chargeToken(scene)
  const heard = proxy.hold('lost', (_method, path) => path.endsWith('paymentOrderBinding.do'))
  const working = scene.later(MINUTE_MS)
  await heard
  const { rows } = await kassa.ctx.db.query(
    "select reference from sandbox.attempts where provider_state->>'isCharge' = 'true'",
  )
  expect(rows.length).toBe(1)
  await proxy.setAway(true)
  await working
  await proxy.setAway(false)
  for (let times = 0; times < 5; times++) await scene.later(5 * MINUTE_MS)
  expect(await piece.finish()).toMatchObject({ status: 'paid' })
})

test.each([
  ['429', { status: 429 }],
  ['code 5', { status: 200, body: '{"errorCode":"5"}' }],
])(
  'a refund is done and answered with code 7, and the question about it meets %s: it is sent once',
  async (_, answer) => {
    const { proxy } = scene
    const piece = await PREPARE.refund(scene)
    const sent = () => bench.server.requests.filter(({ method }) => method === 'refund.do').length
    const before = sent()
    // A poor gateway answers with nothing else when it has refunded.
    proxy.rewrite((text) => (text === '{}' ? '{"errorCode":"7"}' : text))
    proxy.answerWith({
      ...answer,
      isMeant: (_method, path) => path.endsWith('getOrderStatusExtended.do') && sent() > before,
    })
    await scene.later(MINUTE_MS)
    expect(sent() - before).toBe(1)
    proxy.answerWith(null)
    for (let times = 0; times < 5; times++) await scene.later(5 * MINUTE_MS)
    proxy.rewrite(null)
    const { id, ...ended } = await piece.finish()
    expect(ended).toEqual({ status: 'partially_refunded', operation: 'succeeded' })
    expect([sent() - before, (await scene.books(id)).refundedMinor]).toEqual([1, 700])
  },
)

test('a charge that is not taken until the session of its order is over gets another order, and nobody has failed', async () => {
  const { kassa, proxy } = scene
  const piece = await PREPARE.chargeToken(scene)
  proxy.answerWith({ status: 429, isMeant: (_method, path) => path.endsWith('paymentOrderBinding.do') })
  for (let times = 0; times < 3; times++) await scene.later(10 * MINUTE_MS)
  proxy.answerWith(null)
  for (let times = 0; times < 4; times++) await scene.later(10 * MINUTE_MS)
  const { id, ...ended } = await piece.finish()
  expect(ended).toEqual({ status: 'paid', charges: 1 })
  const payment = await findPayment(kassa.ctx.db, scene.shop.merchantId, id)
  const reference = payment?.attempt.reference ?? ''
  const orders = [...bench.server.bank.orders.values()].filter(({ number }) => number.startsWith(reference))
  expect(orders.map(({ number, status }) => [number, status])).toEqual([
    [reference, 6],
    [`${reference}-2`, 2],
  ])
  const { rows } = await kassa.ctx.db.query(
    'select state from sandbox.subscription_charges where payment_id = $1',
    [id],
  )
  expect(rows).toEqual([{ state: 'paid' }])
})

test('a declined charge is asked about for 90 days too', async () => {
  const { kassa, shop } = scene
  const { body } = await createToken(kassa.url, shop)
  await bench.saver({ kind: 'redirect', url: body.setupUrl }, 'save_and_decline')
  await fetch(`${kassa.url}/payment-method-tokens/${body.token.id}/return`, { redirect: 'manual' })
  const terms = { merchantSubscriptionId: 'declined', amountMinor: 1_900 }
  await createSubscription(kassa.url, shop, { body: subscriptionRequest(body.token.id, terms) })
  await scene.later(MINUTE_MS)
  const { rows } = await kassa.ctx.db.query<{ id: string }>(
    "select id from sandbox.payments where merchant_order_id = 'declined/1'",
  )
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, rows[0]?.id ?? '')
  if (!payment) throw new Error('no charge was made')
  expect([payment.status, payment.attempt.state]).toEqual(['failed', 'declined'])
  const soon = nextQuestionAt(kassa.ctx, payment, 0)
  expect(soon).not.toBeNull()
  kassa.clock.advance(80 * DAY_MS)
  const before = kassa.clock.now().getTime()
  const next = nextQuestionAt(kassa.ctx, payment, 0)?.getTime()
  expect(next).toBeGreaterThanOrEqual(before + DAY_MS)
  expect(next).toBeLessThanOrEqual(kassa.clock.now().getTime() + DAY_MS)
})

test('no line of the log and no row of the exchange log has a password', async () => {
  const { rows } = await scene.kassa.ctx.db.query<{ text: string }>(
    `select coalesce(string_agg(coalesce(request_body, '') || coalesce(response_body, ''), ' '), '') as text from sandbox.provider_exchanges`,
  )
  const [{ text } = { text: '' }] = rows
  expect(text).toContain('orderNumber')
  expect(text).not.toMatch(/planted(-tea|%2B|\+)/)
})

test('after a restore a buyer who may have the page of a saving gets no second one', async () => {
  const own = await startRbsBench()
  const restored = await setMoneyScene('rbs', { driver: rbsDriver, start: async () => own })
  const { kassa, shop } = restored
  const { db, clock } = kassa.ctx
  const restoredAt = clock.now()
  await inTransaction(db, (tx) =>
    markRestored(tx, 'sandbox', { backupAt: restoredAt, restoredAt, settledPerHour: 3_600 }),
  )
  const key = 'saved-before-the-loss'
  const { body } = await createToken(kassa.url, shop, { key })
  // The books have lost the answer that the buyer has got.
  await db.query('update sandbox.saved_methods set setup_url = null, provider_state = null')
  expect((await createToken(kassa.url, shop, { key })).status).toBe(503)
  expect(own.server.bank.orders.size).toBe(1)
  await own.saver({ kind: 'redirect', url: body.setupUrl }, 'save')
  for (let times = 0; times < 3; times++) {
    await restored.later(MINUTE_MS)
    await SWEEPS.cardSavings(kassa.ctx)
  }
  expect((await findSavedMethod(db, shop.merchantId, body.token.id))?.status).toBe('active')
  expect(own.server.bank.orders.size).toBe(1)
  await restored.close()
})
