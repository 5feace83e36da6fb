/** PayPal in a whole Kassa, with real HTTP on both sides. A proxy between them causes faults, and the test moves the clock. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TransportFault } from '../../testing/providers/fault-proxy.ts'
import { type PaypalScene, setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'

const FAULTS: TransportFault[] = ['lost', 'error_500', 'half', 'empty', 'not_reached']
const HOUR_MS = 3_600_000
const isWrite = (part: RegExp) => (method: string, path: string) => method === 'POST' && part.test(path)

describe('a payment in one step', () => {
  let scene: PaypalScene
  beforeAll(async () => {
    scene = await setPaypalScene()
  })
  afterAll(() => scene.close())

  test('is paid once the buyer has approved and returned, and the buyer is sent on to the shop', async () => {
    const { body } = await scene.open()
    expect(body.status).toBe('pending_redirect')
    const back = await actAsBuyer(body.providerCheckoutUrl, 'pay')
    expect(await scene.comeBack(back)).toContain('/thanks')
    expect(await scene.status(body.id)).toBe('paid')
    await scene.expectReconciled(body.id)
  })

  test('is paid by the callback if the buyer never returns', async () => {
    const { body } = await scene.open()
    scene.server.takeSent()
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    expect(await scene.deliver()).toEqual([200])
    expect(await scene.status(body.id)).toBe('paid')
  })

  test('is paid by the question at the expiry if there is no callback', async () => {
    const { body } = await scene.open()
    await actAsBuyer(body.providerCheckoutUrl, 'pay')
    await scene.later(91 * 60_000)
    expect(await scene.status(body.id)).toBe('paid')
    await scene.expectReconciled(body.id)
  })

  test('is rejected in AMD, with the currencies that PayPal accepts', async () => {
    const answer = await scene.open({ currency: 'AMD', amountMinor: 190_000 })
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body)).toContain('accepts only USD, EUR')
  })

  test.each(FAULTS)('%s at the opening: the same order is found under its key', async (fault) => {
    scene.proxy.spoilNext(fault, isWrite(/orders$/))
    const first = await scene.open()
    expect(first.status).toBe(503)
    const before = scene.server.account.orders.size
    await scene.later(10_000)
    await scene.later(10_000)
    expect(scene.server.account.orders.size - before).toBe(fault === 'not_reached' ? 1 : 0)
  })

  test.each(FAULTS)('%s at the capture of an approved order: the money is taken once', async (fault) => {
    const { body } = await scene.open()
    const back = await actAsBuyer(body.providerCheckoutUrl, 'pay')
    scene.proxy.spoilNext(fault, isWrite(/\/capture$/))
    await scene.comeBack(back)
    await scene.aWhileLater()
    expect(await scene.status(body.id)).toBe('paid')
    await scene.expectReconciled(body.id)
  })

  test.each(FAULTS)('%s at a refund: the money goes back once', async (fault) => {
    const id = await scene.pay()
    scene.proxy.spoilNext(fault, isWrite(/\/refund$/))
    expect((await scene.ask(id, 'refunds', { amountMinor: 700, reason: 'returned' })).status).toBe(201)
    await scene.aWhileLater()
    expect((await scene.operations(id)).map(({ status }) => status)).toEqual(['succeeded'])
    expect(await scene.status(id)).toBe('partially_refunded')
    const [order] = await scene.orders(id)
    expect(order?.refunds).toHaveLength(1)
    await scene.expectReconciled(id)
  })

  test('a refund that PayPal never heard of is sent again, because PayPal knows its key for 45 days', async () => {
    const id = await scene.pay()
    scene.proxy.spoilNext('not_reached', isWrite(/\/refund$/))
    await scene.ask(id, 'refunds', { amountMinor: 700, reason: 'returned' })
    await scene.later()
    await scene.later(7 * HOUR_MS)
    await scene.later(24 * HOUR_MS)
    const [order] = await scene.orders(id)
    expect(order?.refunds).toHaveLength(1)
    expect((await scene.operations(id)).map(({ status }) => status)).toEqual(['succeeded'])
    await scene.expectReconciled(id)
  })

  test('a refund that fails later leaves the payment paid', async () => {
    const id = await scene.pay('refund_fails_later')
    await scene.ask(id, 'refunds', { amountMinor: 700, reason: 'returned' })
    await scene.aWhileLater()
    expect((await scene.operations(id)).map(({ status }) => status)).toEqual(['failed'])
    expect(await scene.status(id)).toBe('paid')
    await scene.expectReconciled(id)
  })

  test('a declined card takes no money and does not end the payment: a second order is paid', async () => {
    const { body } = await scene.open()
    const back = await actAsBuyer(body.providerCheckoutUrl, 'decline')
    expect(await scene.comeBack(back)).toContain(`${scene.kassa.url}/checkout/`)
    expect(await scene.payment(body.id)).toMatchObject({
      status: 'pending_payment',
      attempt: { number: 1, state: 'declined' },
    })
    const taken = async () => (await scene.orders(body.id)).flatMap(({ captures }) => captures)
    expect(await taken()).toEqual([])
    const page = await scene.goOn(body.id)
    expect(page).not.toBe(body.providerCheckoutUrl)
    await scene.comeBack(await actAsBuyer(page, 'pay'))
    expect(await scene.payment(body.id)).toMatchObject({
      status: 'paid',
      attempt: { number: 2, state: 'paid' },
    })
    expect(await taken()).toHaveLength(1)
    await scene.expectReconciled(body.id)
  })

  test('a buyer who cancels has paid nothing, and can still pay', async () => {
    const { body } = await scene.open()
    await scene.comeBack(await actAsBuyer(body.providerCheckoutUrl, 'cancel'))
    expect(await scene.status(body.id)).toBe('pending_redirect')
    await scene.comeBack(await actAsBuyer(body.providerCheckoutUrl, 'pay'))
    await scene.later(12_000)
    expect(await scene.status(body.id)).toBe('paid')
  })

  test('a disputed payment is disputed, and reversed when the buyer wins', async () => {
    scene.server.takeSent()
    const id = await scene.pay('dispute_lost')
    await scene.later(60_000)
    await scene.deliver()
    expect(await scene.status(id)).toBe('disputed')
    await scene.later(25 * HOUR_MS)
    await scene.deliver()
    expect(await scene.status(id)).toBe('reversed')
    expect(await scene.payment(id)).toMatchObject({ capturedMinor: 1900, refundedMinor: 1900 })
  })

  test('an order that nobody approved expires, and so does the payment', async () => {
    const { body } = await scene.open()
    await scene.later(4 * HOUR_MS)
    expect(await scene.status(body.id)).toBe('expired')
  })

  test('an access token that ended before its time is requested again once, for all concurrent callers', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => scene.open()))
    const { accessTokens } = scene.server.account
    accessTokens.clear()
    await Promise.all(ids.map(({ body }) => fetch(`${scene.kassa.url}/checkout/${body.id}/return`)))
    expect(accessTokens.size).toBe(1)
  })
})

describe('a payment that lives longer than an order at PayPal', () => {
  let scene: PaypalScene
  beforeAll(async () => {
    scene = await setPaypalScene({ settings: { SESSION_TTL: String(6 * 3_600) } })
  })
  afterAll(() => scene.close())

  test('gets another order after the 3 hours of the first, and expires at its own time', async () => {
    const { body } = await scene.open()
    const { body: unpaid } = await scene.open()
    await scene.later(4 * HOUR_MS)
    expect(await scene.payment(body.id)).toMatchObject({
      status: 'pending_redirect',
      attempt: { state: 'expired' },
    })
    await scene.comeBack(await actAsBuyer(await scene.goOn(body.id), 'pay'))
    expect(await scene.payment(body.id)).toMatchObject({ status: 'paid', attempt: { number: 2 } })
    await scene.expectReconciled(body.id)
    await scene.later(3 * HOUR_MS)
    expect(await scene.status(unpaid.id)).toBe('expired')
  })
})

describe('a payment in two steps', () => {
  let scene: PaypalScene
  beforeAll(async () => {
    scene = await setPaypalScene({ steps: 'two' })
  })
  afterAll(() => scene.close())

  test.each(FAULTS)('%s at the authorization, and at the capture of a part', async (fault) => {
    const { body } = await scene.open()
    const back = await actAsBuyer(body.providerCheckoutUrl, 'pay')
    scene.proxy.spoilNext(fault, isWrite(/\/authorize$/))
    await scene.comeBack(back)
    await scene.aWhileLater()
    expect(await scene.status(body.id)).toBe('authorized')
    scene.proxy.spoilNext(fault, isWrite(/authorizations\/.*\/capture$/))
    expect((await scene.ask(body.id, 'capture', { amountMinor: 1_500 })).status).toBe(201)
    await scene.aWhileLater()
    expect(await scene.payment(body.id)).toMatchObject({ status: 'paid', capturedMinor: 1_500 })
    await scene.expectReconciled(body.id)
  })

  test.each(FAULTS)('%s at a void', async (fault) => {
    const id = await scene.pay()
    scene.proxy.spoilNext(fault, isWrite(/\/void$/))
    expect((await scene.ask(id, 'void', { reason: 'out of stock' })).status).toBe(201)
    await scene.aWhileLater()
    expect(await scene.status(id)).toBe('reversed')
    await scene.expectReconciled(id)
  })

  test('an authorization that expires after 29 days is reversed, and its capture is rejected', async () => {
    const id = await scene.pay()
    expect(await scene.status(id)).toBe('authorized')
    for (let day = 0; day < 32; day += 4) await scene.later(4 * 24 * HOUR_MS)
    expect(await scene.status(id)).toBe('reversed')
    expect((await scene.ask(id, 'capture', {})).status).toBe(409)
  })
})
