/** Refunds and voids at PayPal, when a person at PayPal does the same, and when an answer is lost on the way. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeNameOf } from '../../payments/named-refund.ts'
import type { TransportFault } from '../../testing/providers/fault-proxy.ts'
import type { SimRequest } from '../../testing/providers/paypal/reply.ts'
import { type PaypalScene, setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { moneyOf } from './money.ts'

const isWrite = (part: RegExp) => (method: string, path: string) => method === 'POST' && part.test(path)

const seen: SimRequest[] = []
const onRequest = (request: SimRequest) => void seen.push(request)

describe('a refund', () => {
  let scene: PaypalScene
  beforeAll(async () => {
    scene = await setPaypalScene({ onRequest })
  })
  afterAll(() => scene.close())

  /** Somebody refunds the payment on PayPal's own pages. */
  async function refundByHand(id: string, amountMinor: number): Promise<void> {
    const { account, paypal } = scene.server
    account.accessTokens.set('by-hand', new Date('2100-01-01'))
    const capture = (await scene.orders(id))[0]?.captures[0]?.id
    const reply = paypal.answer({
      method: 'POST',
      url: `/v2/payments/captures/${capture}/refund`,
      headers: { authorization: 'Bearer by-hand', 'content-type': 'application/json' },
      body: JSON.stringify({ amount: moneyOf(amountMinor, 'USD') }),
    })
    expect(reply.status).toBe(201)
  }

  /** A refund whose request is lost before PayPal has it. Then somebody refunds the same sum on PayPal's pages. */
  async function refundTwice(amountMinor: number): Promise<string> {
    const id = await scene.pay()
    scene.proxy.spoilNext('not_reached', isWrite(/\/refund$/))
    await scene.ask(id, 'refunds', { amountMinor, reason: 'returned' })
    await scene.later()
    await refundByHand(id, amountMinor)
    return id
  }

  test('that never arrives is not taken for one of the same sum that was made by hand: PayPal gets both', async () => {
    const id = await refundTwice(700)
    await scene.aWhileLater()
    const [operation] = await scene.operations(id)
    expect(operation?.status).toBe('succeeded')
    const refunds = (await scene.orders(id)).flatMap((order) => order.refunds)
    expect(
      refunds.map(({ customId = '' }) => customId.includes(operation ? writeNameOf(operation).key : '-')),
    ).toEqual([false, true])
    expect(operation?.providerOperationId).toBe(refunds[1]?.id)
    expect((await scene.payment(id)).refundedMinor).toBe(1400)
    await scene.expectReconciled(id)
  })

  test('that never arrives never succeeds if one by hand has left nothing for it', async () => {
    const id = await refundTwice(1900)
    await scene.aWhileLater()
    await scene.aWhileLater()
    expect((await scene.operations(id)).map(({ status }) => status)).toEqual(['requires_operator_review'])
    expect((await scene.orders(id)).flatMap(({ refunds }) => refunds)).toHaveLength(1)
  })

  test('is known by its callback, although it carries a name of its own', async () => {
    const id = await scene.pay()
    scene.server.takeSent()
    await scene.ask(id, 'refunds', { amountMinor: 700, reason: 'returned' })
    await scene.later()
    const sent = scene.server.takeSent()
    expect(sent.map(({ body }) => JSON.parse(body).event_type)).toEqual(['PAYMENT.CAPTURE.REFUNDED'])
    seen.length = 0
    expect(await scene.deliver(sent)).toEqual([200])
    const [order] = await scene.orders(id)
    expect(seen.map(({ url }) => url)).toContain(`/v2/checkout/orders/${order?.id}`)
  })
})

describe('a void', () => {
  let scene: PaypalScene
  beforeAll(async () => {
    scene = await setPaypalScene({ steps: 'two', onRequest })
  })
  afterAll(() => scene.close())

  const FAULTS: (TransportFault | null)[] = [null, 'lost', 'error_500', 'half', 'empty', 'not_reached']
  test.each(FAULTS)('is sent as PayPal wants it, and releases the money once (%s)', async (fault) => {
    const id = await scene.pay()
    expect(await scene.status(id)).toBe('authorized')
    seen.length = 0
    if (fault) scene.proxy.spoilNext(fault, isWrite(/\/void$/))
    await scene.ask(id, 'void', { reason: 'changed mind' })
    await scene.aWhileLater()
    const [operation] = await scene.operations(id)
    expect([operation?.status, await scene.status(id)]).toEqual(['succeeded', 'reversed'])
    const voids = seen.filter(({ method, url }) => isWrite(/\/void$/)(method, url))
    expect(voids.length).toBeGreaterThan(0)
    for (const { headers, body } of voids)
      expect([headers['content-type'], headers['paypal-request-id'], body]).toEqual([
        'application/json',
        operation && writeNameOf(operation).key,
        '{}',
      ])
  })
})
