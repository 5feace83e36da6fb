/**
 * Compares every request of the driver and every response of the simulator with PayPal's official OpenAPI documents. Skipped if
 * SPECS_DIR does not name the documents' folder.
 */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Judgement, openDocuments, openEvents } from '../../testing/documents/paypal-documents.ts'
import { type Scenes, startScenes } from '../../testing/providers/driver-scenes.ts'
import type { Reply, SimRequest } from '../../testing/providers/paypal/reply.ts'
import { startPaypalBench } from '../../testing/providers/paypal-bench.ts'
import type { RawInbound } from '../driver.ts'
import { paypalDriver } from './driver.ts'
import { askPaypal } from './request.ts'
import type { PaypalSettings } from './settings.ts'

const folder = process.env.SPECS_DIR ?? ''
const isThere = existsSync(`${folder}/paypal-checkout_orders_v2.json`)
if (!isThere) console.info('SPECS_DIR names no folder with PayPal’s documents: their tests are skipped')

/** These are in PayPal's reference today, but not yet in the documents of 2024. */
const NEWER = ['/payment_source/paypal/stored_credential']
/** These are in none of PayPal's documents: OAuth, and the buyer's pages. */
const ELSEWHERE = /^(\/v1\/oauth2\/token|\/checkoutnow.*|\/agreements\/approve.*)$/

const SIZES = [
  { answers: 'answers with the fewest fields', isFull: false },
  { answers: 'whole answers', isFull: true },
]

describe.skipIf(!isThere).each(SIZES)('against the official documents, $answers', ({ isFull }) => {
  const judged: (Judgement & { request: SimRequest })[] = []
  let scenes: Scenes<PaypalSettings>
  let events: RawInbound[]
  beforeAll(async () => {
    const judge = openDocuments(folder, NEWER)
    const onExchange = (request: SimRequest, reply: Reply) =>
      void judged.push({ ...judge(request, reply), request })
    scenes = await startScenes({ driver: paypalDriver, start: () => startPaypalBench(onExchange, isFull) })
    events = await tour(scenes)
  })
  afterAll(async () => {
    await scenes.close()
    const counts = Map.groupBy(judged, ({ operation }) => operation ?? 'of other documents')
    const lines = [...counts].map(([name, all]) => `${name}: ${all.length}`).sort()
    console.info(`judged by PayPal's documents\n  ${lines.join('\n  ')}`)
  })

  test('every request and every answer is as PayPal writes it', () => {
    expect(judged.length).toBeGreaterThan(50)
    expect([...new Set(judged.flatMap(({ problems }) => problems))]).toEqual([])
  })

  test('every event, and its resource, is as PayPal writes it', () => {
    const judge = openEvents(folder)
    const all = events.map(({ body }) => judge(body.toString()))
    expect(all.flatMap(({ problems }) => problems)).toEqual([])
    expect([...new Set(all.map(({ resource }) => resource))].sort()).toEqual([
      'authorization',
      'capture',
      'dispute',
      'order',
      'payment_token_response',
      'refund',
    ])
  })

  test('every call of the driver is in a document', () => {
    const strangers = judged
      .filter(({ operation }) => operation === null)
      .map(({ request }) => request.url.replace(/\?.*/, ''))
    expect([...new Set(strangers)].filter((path) => !ELSEWHERE.test(path))).toEqual([])
  })

  test.each([
    'orders.create 201',
    'orders.create 200',
    'orders.create 401',
    'orders.get 200',
    'orders.get 404',
    'orders.capture 201',
    'orders.capture 200',
    'orders.capture 422',
    'orders.authorize 201',
    'authorizations.capture 201',
    'authorizations.capture 422',
    'authorizations.void 200',
    'authorizations.void 422',
    'captures.get 200',
    'captures.refund 201',
    'captures.refund 422',
    'setup-tokens.create 201',
    'setup-tokens.get 200',
    'payment-tokens.create 201',
    'payment-tokens.create 422',
    'payment-tokens.get 200',
    'payment-tokens.get 404',
    'customer.payment-tokens.get 200',
    'payment-tokens.delete 204',
    'disputes.list 200',
    'disputes.get 200',
    'webhooks.get 200',
    'verify-webhook-signature.post 200',
  ])('the tour has seen %s', (name) => {
    expect(judged.map(({ operation }) => operation)).toContain(name)
  })
})

/** Makes every kind of request of the driver, and causes its refusals. Returns PayPal's events. */
async function tour(all: Scenes<PaypalSettings>): Promise<RawInbound[]> {
  const { driver, simulator, call, attempt, open, paid, look, savedMethod } = all
  const { refund, capture, void: release, finalize, chargeToken, lookUp, lookUpToken, revokeToken } = driver
  let keys = 0
  const write = (order: Awaited<ReturnType<typeof paid>>, amountMinor: number) => ({
    ...order,
    key: `00000000-0000-4000-8000-${String(++keys).padStart(12, '0')}`,
    amountMinor,
    currency: order.attempt.currency,
    reason: null,
  })

  await call((each) => driver.check?.(each, { callbackUrl: attempt().callbackUrl }))
  // One step: a start whose response was lost, a refund that is too much, and a refund of a disputed payment.
  const lost = attempt()
  await open(lost)
  await open(lost)
  const one = await paid()
  await call((each) => refund?.(each, write(one, 700)))
  await call((each) => refund?.(each, write(one, 9_000)))
  const late = await paid({}, { description: 'simulate:refund_fails_later' })
  await call((each) => refund?.(each, write(late, 700)))
  const disputed = await paid({}, { description: 'simulate:disputed' })
  await paid({}, { description: 'simulate:late_paid' })
  // Payments that PayPal holds back: an eCheck, and a review before the hold.
  const echeck = await paid({}, { description: 'simulate:echeck_fails' })
  const reviewed = await paid({ steps: 'two' }, { description: 'simulate:review_refused' })
  await look(echeck)
  await look(reviewed)
  await simulator.advance(simulator.laterMs)
  await look(disputed)
  await call((each) => refund?.(each, write(disputed, 700)))
  // Two steps: a part is captured, another hold is voided twice.
  const held = await paid({ steps: 'two' })
  await call((each) => capture?.(each, write(held, 700)), { steps: 'two' })
  await call((each) => capture?.(each, write(held, 700)), { steps: 'two' })
  const given = await paid({ steps: 'two' })
  await call((each) => release?.(each, write(given, 1_900)), { steps: 'two' })
  await call((each) => release?.(each, write(given, 1_900)), { steps: 'two' })
  // A decline, and the same order paid with another card.
  const again = attempt()
  const opened = await open(again)
  const order = { reference: again.reference, state: opened.state ?? null }
  await simulator.buyer(opened, 'decline')
  await look(order)
  await call((each) => finalize?.(each, order, 'declined-order'))
  await look(order)
  await simulator.buyer(opened, 'approve')
  await look(order)
  await call((each) => finalize?.(each, order, 'declined-order'))
  await call((each) => finalize?.(each, order, 'declined-order'))
  await call((each) =>
    lookUp?.(each, { ...order, state: { order: 'O0000000000UNKNOWN', intent: 'CAPTURE' } }),
  )
  await call((each) => lookUp?.(each, { reference: 'never-opened', state: null }))
  // Saved accounts.
  const token = await savedMethod()
  await call((each) => chargeToken?.(each, { ...attempt(), token }))
  const declining = await savedMethod('save_and_decline')
  await call((each) => chargeToken?.(each, { ...attempt(), token: declining }))
  const { setup } = token.state as { setup: string }
  await call((each) => lookUpToken?.(each, { reference: 'kept-before', state: { setup } }))
  await call((each) => lookUpToken?.(each, token))
  await call((each) => revokeToken?.(each, token))
  await call((each) => lookUpToken?.(each, token))
  // A hold that the buyer has approved, and a refund that the shop makes at PayPal itself.
  const hold = attempt()
  const page = await open(hold, { steps: 'two' })
  await simulator.buyer(page, 'approve')
  const holding = { reference: hold.reference, state: page.state ?? null }
  await look(holding)
  await call((each) => finalize?.(each, holding, 'hold'))
  const byHand = await paid()
  const { capture: id } = byHand.state as { capture: string }
  await call((each) =>
    askPaypal(each, { method: 'POST', path: `/v2/payments/captures/${id}/refund`, body: {} }),
  )
  const lostDispute = await paid({}, { description: 'simulate:dispute_lost' })
  await simulator.advance(simulator.laterMs)
  await simulator.advance(25 * 3_600_000)
  await look(lostDispute)
  // Webhooks of PayPal are sent back to it for verification.
  const callbacks = await simulator.callbacks()
  const events = []
  for (const raw of callbacks) events.push(await call((each) => driver.inbound?.receive(each, raw)))
  expect(events.filter((event) => event?.kind !== 'hint')).toEqual([])
  expect(events).toContainEqual({ kind: 'hint', reference: byHand.reference })
  const wrong = await fetch(`${simulator.origin}/v2/checkout/orders`, { method: 'POST', body: orderBody() })
  await wrong.text()
  await simulator.advance(7 * 86_400_000)
  await look(echeck)
  await look(reviewed)
  return callbacks
}

const orderBody = () =>
  JSON.stringify({
    intent: 'CAPTURE',
    purchase_units: [{ amount: { currency_code: 'USD', value: '1.00' } }],
  })
