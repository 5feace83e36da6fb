/** What the plug-in for WooCommerce does while Kassa is away, slow or at a loss, and when the staff's own acts get in the way. */
import { expect } from 'vitest'
import { openBrowser } from './browsing.ts'
import { BANK_MS, type OwnScenario, PATIENCE } from './own.ts'

const isLookUpOf = (paymentId: string) => (method: string, path: string) =>
  method === 'GET' && path.includes(`paymentId=${paymentId}`)
const UNKNOWN = JSON.stringify({ ok: false, error: { code: 'payment_not_found', message: 'No.' } })

export const HARD_CASES: readonly OwnScenario[] = [
  {
    name: 'a payment that Kassa does not know any more is told once, is not looked up again, and a later event is taken',
    async run({ scene, begin, buy, mailsWith, statusOf }) {
      scene.gate.isOpen = false
      const { order, checkout, id } = await begin()
      const back = await scene.choose(checkout, 'paid')
      let lookUps = 0
      scene.proxy.answerWith({
        status: 404,
        body: UNKNOWN,
        isMeant(method, path) {
          const isIt = isLookUpOf(checkout.paymentId)(method, path)
          if (isIt) lookUps++
          return isIt
        },
      })
      await scene.platform.comeBack(order, back)
      const mails = () => mailsWith(`does not know the payment ${checkout.paymentId}`)
      await expect.poll(mails, PATIENCE).toBe(1)
      await scene.platform.comeBack(order, back)
      const before = lookUps
      await scene.reopenGate()
      await expect.poll(() => statusOf(id), PATIENCE).toBe('processing')
      await buy()
      expect([lookUps - before, mails()]).toEqual([0, 1])
    },
  },
  {
    name: 'a look-up that takes longer than the plug-in waits: the buyer is told not to pay again, and the event pays the order',
    async run({ scene, shop, begin, statusOf }) {
      scene.gate.isOpen = false
      const { order, checkout, id } = await begin()
      const back = await scene.choose(checkout, 'paid')
      const arrived = scene.proxy.hold('not_reached', isLookUpOf(checkout.paymentId))
      const page = shop.browserOf(order).open(back)
      await arrived
      expect((await page).text).toContain('do not pay again')
      await scene.reopenGate()
      await expect.poll(() => statusOf(id), PATIENCE).toBe('processing')
    },
  },
  {
    name: 'a second refund while the bank still works on the first: each is made once, and both are taken out when they fail',
    async run({ scene, shop, buy, mailsWith }) {
      const { order, checkout } = await buy('refund_fails_later')
      expect(await shop.refund(order, 700)).toBe(null)
      expect(await shop.refund(order, 200)).toBe(null)
      expect(await shop.view(order)).toMatchObject({ refundedMinor: 900 })
      scene.kassa.clock.advance(BANK_MS)
      await expect.poll(() => mailsWith('It was taken out of the order'), PATIENCE).toBe(2)
      expect(await shop.view(order)).toMatchObject({ state: 'paid', refundedMinor: 0 })
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: 0 })
    },
  },
  {
    name: 'money from outside for which the order has no room, because of a refund in cash: a person is asked once',
    async run({ scene, shop, buy, mailsWith }) {
      const { order, id, checkout } = await buy()
      await shop.staff.refundByHand(id, '15.00')
      await scene.refundOutside(checkout.paymentId, 700)
      await expect.poll(() => mailsWith('could not be booked as a refund'), PATIENCE).toBe(1)
      expect(await shop.view(order)).toMatchObject({ refundedMinor: 1_500 })
      await buy()
      expect(mailsWith('could not be booked as a refund')).toBe(1)
    },
  },
  {
    name: 'an order that is deleted: its open payment is closed, and money that comes all the same is told once',
    async run({ scene, shop, begin, buy, mailsWith }) {
      const first = await begin()
      await shop.staff.deleteOrder(first.id)
      expect(await scene.payment(first.checkout.paymentId)).toMatchObject({ status: 'cancelled' })
      const second = await begin()
      await scene.proxy.setAway(true)
      await shop.staff.deleteOrder(second.id)
      await scene.proxy.setAway(false)
      scene.gate.copies = 6
      await scene.choose(second.checkout, 'paid')
      await expect.poll(() => mailsWith(second.checkout.paymentId), PATIENCE).toBe(1)
      await buy()
      expect(mailsWith(second.checkout.paymentId)).toBe(1)
    },
  },
  {
    name: 'a stranger without the key of the order makes the plug-in ask Kassa nothing',
    async run({ scene, shop, begin, statusOf }) {
      scene.gate.isOpen = false
      const { checkout, id } = await begin()
      await scene.choose(checkout, 'paid')
      let lookUps = 0
      scene.proxy.slowDown({
        ms: 0,
        isMeant(method, path) {
          if (isLookUpOf(checkout.paymentId)(method, path)) lookUps++
          return false
        },
      })
      const stranger = openBrowser(shop.url)
      for (const query of ['', '?key=wc_order_guessed'])
        await stranger.open(`/checkout/order-received/${id}/${query}`)
      expect([lookUps, await statusOf(id)]).toEqual([0, 'pending'])
    },
  },
]
