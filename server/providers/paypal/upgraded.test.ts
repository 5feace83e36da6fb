/** Orders and refunds that the version before has begun, and this version finishes. That version sent other request ids with captures. */
import { expect, test } from 'vitest'
import { writeNameOf } from '../../payments/named-refund.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'
import { moneyOf } from './money.ts'
import { refundName } from './order.ts'

const scene = closeAfter(await setPaypalScene())

/** Sends a request as the version before sent it. */
function sendAsBefore(path: string, requestId: string, body: object): number {
  const { account, paypal } = scene.server
  account.accessTokens.set('of-the-version-before', new Date('2100-01-01'))
  const headers = {
    authorization: 'Bearer of-the-version-before',
    'content-type': 'application/json',
    'paypal-request-id': requestId,
  }
  return paypal.answer({ method: 'POST', url: path, headers, body: JSON.stringify(body) }).status
}

test('an order is captured once, whether PayPal ignored the capture of the version before or did it', async () => {
  for (const isDone of [false, true]) {
    const { body } = await scene.open()
    const [order] = await scene.orders(body.id)
    const { reference } = (await scene.payment(body.id)).attempt
    // PayPal knows the creation under this id, because this version creates orders with the same ids.
    expect([...scene.server.account.replays.keys()]).toContain(reference)
    const location = await actAsBuyer(body.providerCheckoutUrl, 'pay')
    const id = isDone ? 'ids-of-their-own-for-each-path' : reference
    sendAsBefore(`/v2/checkout/orders/${order?.id}/capture`, id, {})
    expect(order?.captures.length).toBe(isDone ? 1 : 0)
    await fetch(location, { redirect: 'manual' })
    expect((await scene.payment(body.id)).status).toBe('paid')
    expect(order?.captures.length).toBe(1)
    await scene.expectReconciled(body.id)
  }
})

test('a refund that the version before has sent is not made a second time', async () => {
  const id = await scene.pay()
  scene.proxy.spoilNext('not_reached', (method, path) => method === 'POST' && path.endsWith('/refund'))
  await scene.ask(id, 'refunds', { amountMinor: 700, reason: 'returned' })
  await scene.later()
  const [operation] = await scene.operations(id)
  if (!operation) throw new Error('there is no operation')
  const { key } = writeNameOf(operation)
  const capture = (await scene.orders(id))[0]?.captures[0]?.id
  const { reference } = (await scene.payment(id)).attempt
  const sent = { amount: moneyOf(700, 'USD'), custom_id: refundName({ reference, key }) }
  expect(sendAsBefore(`/v2/payments/captures/${capture}/refund`, key, sent)).toBe(201)
  // PayPal does not list the refund yet, so Kassa sends it again.
  const [order] = await scene.orders(id)
  const hidden = order?.refunds.splice(0) ?? []
  await scene.aWhileLater()
  order?.refunds.push(...hidden)
  await scene.aWhileLater()
  expect((await scene.operations(id))[0]?.status).toBe('succeeded')
  expect(order?.refunds.length).toBe(1)
  expect((await scene.payment(id)).refundedMinor).toBe(700)
})
