/** Orders at PayPal that go on: approved again after a decline, and begun by the version before. */
import { describe, expect, test } from 'vitest'
import { writeNameOf } from '../../payments/named-refund.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'
import { moneyOf } from './money.ts'
import { refundName } from './order.ts'

const scene = closeAfter(await setPaypalScene())

/** A card is declined, and the buyer approves the same order again. PayPal does not show in the order when its buyer approved. */
describe('a card that is declined, and an order that is approved again', () => {
  /** Opens an order, and a card is declined. Returns what a later approval of the same order needs. */
  async function declined() {
    const { body } = await scene.open()
    scene.server.takeSent()
    const page = body.providerCheckoutUrl
    await scene.comeBack(await actAsBuyer(page, 'decline'))
    await scene.deliver()
    const order = async () => (await scene.orders(body.id))[0]
    const tries = async () => (await order())?.tries
    expect(await tries()).toBe(1)
    return { id: body.id, page, order, tries }
  }

  test.each(['APPROVED', 'PAYER_ACTION_REQUIRED'] as const)(
    'after a decline nothing is taken without a new approval, whatever asks (the order is %s)',
    async (status) => {
      const { id, order, tries } = await declined()
      Object.assign((await order()) ?? {}, { status })
      for (const ms of [12_000, 35_000, 65_000, 130_000, 310_000]) await scene.later(ms)
      await fetch(`${scene.kassa.url}/checkout/${id}`)
      expect(await tries()).toBe(1)
      expect(await scene.payment(id)).toMatchObject({
        status: 'pending_payment',
        attempt: { state: 'declined' },
      })
    },
  )

  test('after a decline the buyer approves the same order with another card, and comes back: it is paid once', async () => {
    const { id, page, tries } = await declined()
    await scene.later(40_000)
    await scene.comeBack(await actAsBuyer(page, 'pay'))
    expect(await scene.payment(id)).toMatchObject({ status: 'paid', attempt: { number: 1, state: 'paid' } })
    expect(await tries()).toBe(2)
    await scene.expectReconciled(id)
  })

  test('after a decline the callback about the new approval has it paid, also if it comes within seconds', async () => {
    const { id, page, tries } = await declined()
    await scene.later(2_000)
    await actAsBuyer(page, 'pay')
    await scene.deliver()
    // Another process may still be at work on the first approval, so the schedule takes the money.
    for (const ms of [12_000, 35_000]) await scene.later(ms)
    expect(await scene.status(id)).toBe('paid')
    expect(await tries()).toBe(2)
    await scene.expectReconciled(id)
  })

  test('after a decline that PayPal shows in the order, a later approval is a new one without a callback or return', async () => {
    const { id, page, order } = await declined()
    Object.assign((await order()) ?? {}, { status: 'PAYER_ACTION_REQUIRED' })
    await scene.later(40_000)
    await actAsBuyer(page, 'pay')
    await scene.later(70_000)
    expect(await scene.status(id)).toBe('paid')
    await scene.expectReconciled(id)
  })

  test('a second decline of the same order is shown, and takes nothing', async () => {
    const { id, page, tries } = await declined()
    await scene.later(40_000)
    await scene.comeBack(await actAsBuyer(page, 'decline'))
    expect(await tries()).toBe(2)
    expect(await scene.payment(id)).toMatchObject({
      status: 'pending_payment',
      attempt: { state: 'declined', facts: { declineCategory: 'ask_another_card' } },
    })
    await scene.later(40_000)
    await scene.comeBack(await actAsBuyer(page, 'pay'))
    expect(await scene.status(id)).toBe('paid')
    await scene.expectReconciled(id)
  })
})

/** Orders and refunds that the version before has begun, and this version finishes. That version sent other request ids with captures. */
describe('what the version before has begun', () => {
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
})
