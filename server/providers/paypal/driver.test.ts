/** Tests of PayPal that the conformance suite does not have: declines, approvals, tokens, callbacks, findings and settings. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Scenes, startScenes } from '../../testing/providers/driver-scenes.ts'
import type { Reply, SimRequest } from '../../testing/providers/paypal/reply.ts'
import { startPaypalBench } from '../../testing/providers/paypal-bench.ts'
import type { Opened } from '../driver.ts'
import { paypalDriver } from './driver.ts'
import { minorOf, moneyOf } from './money.ts'
import { isOfPaypal, PaypalSettings } from './settings.ts'

const seen: { request: SimRequest; reply: Reply }[] = []
let scenes: Scenes<PaypalSettings>
beforeAll(async () => {
  const onExchange = (request: SimRequest, reply: Reply) => void seen.push({ request, reply })
  scenes = await startScenes({ driver: paypalDriver, start: () => startPaypalBench(onExchange) })
})
afterAll(() => scenes.close())

const writes = (part: RegExp) =>
  seen.filter(({ request: { method, url } }) => method === 'POST' && part.test(url))
const last = <Value>(all: Value[]) => all.at(-1) as Value

async function order(changes: object = {}) {
  const given = scenes.attempt(changes)
  const opened: Opened = await scenes.open(given)
  return { given, opened, order: { reference: given.reference, state: opened.state ?? null } }
}

describe('an approval', () => {
  test('whose card is declined is not paid, has advice for the buyer, and can be approved again', async () => {
    const { opened, order: at } = await order()
    await scenes.simulator.buyer(opened, 'decline')
    await scenes.look(at)
    const refused = await scenes.call((each) => paypalDriver.finalize?.(each, at, 'key'))
    expect(refused).toMatchObject({ kind: 'refused' })
    expect(await scenes.look(at)).toMatchObject({
      order: 'declined',
      declineCategory: 'ask_another_card',
      decline: 'soft',
      capturedMinor: 0,
    })
  })

  test('with another card after a decline is a new write, and is paid once', async () => {
    const { opened, order: at, given } = await order()
    await scenes.simulator.buyer(opened, 'decline')
    await scenes.look(at)
    await scenes.call((each) => paypalDriver.finalize?.(each, at, 'again'))
    await scenes.look(at)
    await scenes.simulator.buyer(opened, 'approve')
    const back = { ...at, isBuyerBack: true }
    // The buyer's first return comes right after the first approval, and does not mean a second one.
    expect(await scenes.look(back)).toMatchObject({ order: 'declined' })
    await scenes.simulator.advance(20_000)
    expect(await scenes.look(at)).toMatchObject({ order: 'declined' })
    expect(await scenes.look(back)).toMatchObject({ order: 'approved' })
    at.state = back.state
    expect(await scenes.look(at)).toMatchObject({ order: 'approved' })
    await scenes.call((each) => paypalDriver.finalize?.(each, at, 'again'))
    expect(await scenes.look(at)).toMatchObject({ order: 'completed', capturedMinor: given.amountMinor })
  })

  test('is not a payment: no money is taken before finalize', async () => {
    const { opened, order: at } = await order()
    await scenes.simulator.buyer(opened, 'approve')
    expect(await scenes.look(at)).toMatchObject({ capturedMinor: 0, order: 'approved' })
  })
})

test('an order whose number was paid already takes nothing: PayPal refuses, and the books show one payment', async () => {
  const { attempt: given } = await scenes.paid()
  // PayPal has forgotten the key, so the same request opens another order.
  await scenes.simulator.advance(7 * 3_600_000)
  const opened = await scenes.open(given)
  await scenes.simulator.buyer(opened, 'approve')
  const again = { reference: given.reference, state: opened.state ?? null }
  await scenes.look(again)
  expect(await scenes.call((each) => paypalDriver.finalize?.(each, again, 'twice'))).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('paid already'),
  })
  expect((await scenes.simulator.books(given.reference)).capturedMinor).toBe(given.amountMinor)
})

test('an order contains nothing about the buyer, and its writes have a request id', async () => {
  const customer = { email: 'planted@buyer.example', name: 'Planted Name' }
  const { given } = await order({ customer, metadata: { note: 'planted-note' } })
  const { request } = last(writes(/\/v2\/checkout\/orders$/))
  expect(request.body).not.toMatch(/planted/)
  expect(request.headers['paypal-request-id']).toBe(given.reference)
  expect(JSON.parse(request.body).purchase_units[0].amount).toEqual({ currency_code: 'USD', value: '19.00' })
})

test('a long description is cut within PayPal’s limit, and between characters', async () => {
  await order({ description: `${'x'.repeat(126)}\u{1f375}\n${'y'.repeat(50)}`, merchantName: 'Tea\nhouse' })
  const body = JSON.parse(last(writes(/\/v2\/checkout\/orders$/)).request.body)
  expect(body.purchase_units[0].description).toBe('x'.repeat(126))
  expect(body.payment_source.paypal.experience_context.brand_name).toBe('Tea house')
})

test('a paid order has its transaction and its means of payment', async () => {
  const { before } = await scenes.paid()
  expect(before).toMatchObject({
    providerTransactionId: expect.stringMatching(/^C\d+$/),
    instrument: { kind: 'wallet', brand: 'paypal' },
  })
})

test('a charge whose order this process does not know is found with the state of a callback, and is otherwise unknown', async () => {
  const token = await scenes.savedMethod()
  await scenes.simulator.callbacks()
  const charge = { ...scenes.attempt(), token }
  await scenes.call((each) => paypalDriver.chargeToken?.(each, charge))
  // Here an account with other settings has its own memory, like another process.
  const elsewhere = { steps: 'two' } as const
  const look = (reference: string, state: unknown = null) =>
    scenes.call((each) => paypalDriver.lookUp?.(each, { reference, state }), elsewhere)
  expect(await look(charge.reference)).toMatchObject({ kind: 'unavailable' })
  const [raw] = await scenes.simulator.callbacks()
  if (!raw) throw new Error('PayPal sent nothing')
  const hint = await scenes.call(async (each) => paypalDriver.inbound?.receive(each, raw))
  if (hint?.kind !== 'hint') throw new Error('the callback is no hint')
  expect(hint.reference).toBe(charge.reference)
  expect(await look(charge.reference, hint.state)).toMatchObject({
    kind: 'found',
    snapshot: { order: 'completed', reference: charge.reference },
    state: { order: expect.any(String), capture: expect.any(String) },
  })
  expect(await look('never-charged')).toMatchObject({ kind: 'unavailable' })
})

test('a saved account that its owner removed is declined for good', async () => {
  const token = await scenes.savedMethod()
  await scenes.call((each) => paypalDriver.revokeToken?.(each, token))
  const charge = { ...scenes.attempt(), token }
  expect(await scenes.call((each) => paypalDriver.chargeToken?.(each, charge))).toMatchObject({
    kind: 'refused',
    decline: 'hard',
  })
})

describe('a callback', () => {
  test('of another account of PayPal is rejected', async () => {
    await scenes.simulator.callbacks()
    await scenes.paid()
    const [raw] = await scenes.simulator.callbacks()
    if (!raw) throw new Error('PayPal sent nothing')
    const event = await scenes.call((each) =>
      paypalDriver.inbound?.receive({ ...each, settings: { ...each.settings, WEBHOOK_ID: 'ANOTHER' } }, raw),
    )
    expect(event).toEqual({ kind: 'rejected', message: 'PayPal says that it did not send this' })
  })

  test.each([
    ['paypal-cert-url', 'https://paypal.com.evil.example/cert'],
    ['paypal-transmission-id', '12345'],
    ['paypal-transmission-time', 'yesterday'],
    ['paypal-transmission-sig', ''],
  ])('with a false %s is rejected without a request', async (name, value) => {
    await scenes.simulator.callbacks()
    await scenes.paid()
    const [raw] = await scenes.simulator.callbacks()
    if (!raw) throw new Error('PayPal sent nothing')
    const before = seen.length
    const forged = { ...raw, headers: { ...raw.headers, [name]: value } }
    const event = await scenes.call((each) => paypalDriver.inbound?.receive(each, forged))
    expect(event?.kind).toBe('rejected')
    expect(seen.length).toBe(before)
  })

  test('that is not about an order of ours gets success, so that PayPal does not send it again', () => {
    const event = { kind: 'hint', reference: '' } as const
    expect(paypalDriver.inbound?.reply(event, 'refused').status).toBe(200)
    expect(paypalDriver.inbound?.reply(event, 'not_stored').status).toBe(503)
  })
})

describe('eligible', () => {
  const snapshot = {
    order: 'completed',
    reference: 'r',
    amountMinor: 100,
    currency: 'USD',
    authorizedMinor: 100,
    capturedMinor: 100,
    refundedMinor: 0,
  } as const
  const ORDER = { reference: 'r', state: null, begunAt: new Date() }
  test.each([
    ['refund', 179, {}, null],
    ['refund', 181, {}, 'PayPal refunds for 180 days after the payment'],
    [
      'refund',
      1,
      { dispute: { amountMinor: 100 } },
      'the payment is disputed at PayPal, which refunds nothing meanwhile',
    ],
    ['void', 0, {}, 'PayPal has taken the money already, so it can only be refunded'],
    ['void', 0, { capturedMinor: 0 }, null],
  ] as const)('%s after %i days with %o: %s', async (name, days, changes, why) => {
    const capturedAt = new Date(scenes.simulator.now().getTime() - days * 24 * 3_600_000).toISOString()
    expect(
      await scenes.call((each) =>
        paypalDriver.eligible?.(each, name, { ...ORDER, snapshot: { ...snapshot, capturedAt, ...changes } }),
      ),
    ).toBe(why)
  })
})

describe('check', () => {
  const check = (settings: Partial<PaypalSettings>) =>
    scenes.call((each) =>
      paypalDriver.check?.({ ...each, settings: { ...each.settings, ...settings } }, scenes.attempt()),
    )
  test('names a webhook that PayPal does not know', async () => {
    const findings = await check({ WEBHOOK_ID: 'UNKNOWN' })
    expect(findings?.filter(({ state }) => state === 'problem').map(({ message }) => message)).toEqual([
      "PayPal does not know the webhook UNKNOWN of this app: copy the webhook's id from the app again.",
    ])
  })
  test('tells what to do about wrong credentials, and never shows them', async () => {
    const findings = await check({ CLIENT_SECRET: 'planted-wrong-secret' })
    expect(findings).toEqual([
      { state: 'problem', refusal: 'credentials', message: expect.stringContaining('sandbox app') },
    ])
    expect(JSON.stringify(findings)).not.toContain('planted')
  })
})

describe('the settings', () => {
  const given = { ENVIRONMENT: 'live', CLIENT_ID: 'A'.repeat(20), CLIENT_SECRET: 'B'.repeat(20) }
  test('a live account accepts no address except PayPal’s', () => {
    expect(PaypalSettings.safeParse({ ...given, ADDRESS: 'https://elsewhere.example' }).success).toBe(false)
    const live = PaypalSettings.parse(given)
    expect(paypalDriver.addresses?.(live)).toEqual(['https://api-m.paypal.com'])
    expect(paypalDriver.modeOf?.(live)).toBe('live')
  })
  test.each(['http://elsewhere.example', 'https://a.example/path', 'ftp://a.example'])(
    '%s is no address',
    (ADDRESS) => {
      expect(PaypalSettings.safeParse({ ...given, ENVIRONMENT: 'sandbox', ADDRESS }).success).toBe(false)
    },
  )
  test.each([
    ['https://www.paypal.com/checkoutnow?token=1', true],
    ['https://paypal.com.evil.example/', false],
    ['http://www.paypal.com/', false],
    ['https://www.paypal.com@evil.example/', false],
    ['https://notpaypal.com/', false],
    ['javascript:alert(1)', false],
  ])('a buyer is sent to %s: %s', (url, expected) => {
    expect(isOfPaypal(PaypalSettings.parse(given), url)).toBe(expected)
  })
})

test.each([
  [1, '0.01'],
  [10, '0.10'],
  [1999, '19.99'],
  [190_000, '1900.00'],
  [999_999_999_999, '9999999999.99'],
])('%i minor units are %s, and read back the same', (minor, value) => {
  expect(moneyOf(minor, 'EUR')).toEqual({ currency_code: 'EUR', value })
  expect(minorOf({ currency_code: 'EUR', value })).toBe(minor)
})
