/** What only WooCommerce does: it cancels unpaid orders, keeps a stock, and its staff changes an order by hand. */
import { expect } from 'vitest'
import { verifyCallback } from '../../../receivers/check.ts'
import { makeWebhookSecret } from '../../../receivers/secret.ts'
import { askOperation, createSession, payAtBank } from '../../calls.ts'
import { createBuyer } from './buyer.ts'
import { BANK_MS, type OwnScenario, PATIENCE, TEA } from './own.ts'

export const OWN: readonly OwnScenario[] = [
  {
    name: 'a second payment of a paid order is told once, by note and mail, and changes nothing',
    async run({ scene, shop, buy, notesOf, mailsWith }) {
      const { order, id, checkout } = await buy()
      const body = {
        merchantOrderId: String(id),
        ...TEA,
        returnUrl: `${shop.url}/`,
        metadata: { shop: shop.url },
      }
      const second = await createSession(scene.kassa.url, scene.shop, { key: `second-${id}`, body })
      // The bank's page of an order that is paid already asks for a confirmation, so the bank is visited directly.
      await payAtBank(second.body.providerCheckoutUrl, 'paid')
      await expect.poll(() => notesOf(order), PATIENCE).toContain('A second payment of this order')
      expect(await notesOf(order)).toContain(checkout.paymentId)
      expect(mailsWith('A second payment of this order')).toBe(1)
      expect(await shop.view(order)).toMatchObject({
        state: 'paid',
        paidMinor: TEA.amountMinor,
        refundedMinor: 0,
      })
    },
  },
  {
    name: 'an order that the staff has cancelled is not revived by money that is there already',
    async run({ scene, shop, begin, statusOf, notesOf, mailsWith }) {
      scene.gate.isOpen = false
      const { order, id, checkout } = await begin()
      await scene.choose(checkout, 'paid')
      await shop.staff.setStatus(id, 'cancelled')
      await expect.poll(() => notesOf(order), PATIENCE).toContain('It was not changed')
      await scene.reopenGate()
      expect(await statusOf(id)).toBe('cancelled')
      expect(mailsWith(checkout.paymentId)).toBe(1)
    },
  },
  {
    name: 'the staff cancels an order: its payment is closed',
    async run({ scene, shop, begin }) {
      const { id, checkout } = await begin()
      await shop.staff.setStatus(id, 'cancelled')
      await expect
        .poll(async () => (await scene.payment(checkout.paymentId)).status, PATIENCE)
        .toBe('cancelled')
    },
  },
  {
    name: 'an unpaid order is cancelled only after Kassa was asked',
    async run({ scene, shop, begin, statusOf }) {
      scene.gate.isOpen = false
      const paid = await begin()
      await scene.choose(paid.checkout, 'paid')
      await shop.act({ do: 'expire', order: paid.id })
      expect(await statusOf(paid.id)).toBe('processing')
      const unpaid = await begin()
      await shop.act({ do: 'expire', order: unpaid.id })
      expect(await statusOf(unpaid.id)).toBe('cancelled')
      expect(await scene.payment(unpaid.checkout.paymentId)).toMatchObject({ status: 'cancelled' })
    },
  },
  {
    name: 'a refund that the bank refuses later is taken out of the order, and can be made again',
    async run({ scene, shop, buy, mailsWith }) {
      const { order } = await buy('refund_fails_later')
      expect(await shop.refund(order, 700)).toBe(null)
      expect(await shop.view(order)).toMatchObject({ refundedMinor: 700 })
      scene.kassa.clock.advance(BANK_MS)
      await expect.poll(async () => (await shop.view(order)).refundedMinor, PATIENCE).toBe(0)
      expect(mailsWith('It was taken out of the order')).toBe(1)
      expect(await shop.refund(order, 700)).toBe(null)
    },
  },
  {
    name: 'a refund that fails after it had succeeded is told',
    async run({ scene, shop, buy, mailsWith }) {
      const { order } = await buy('refund_fails_after_success')
      expect(await shop.refund(order, 700)).toBe(null)
      scene.kassa.clock.advance(BANK_MS)
      await expect.poll(() => mailsWith('has failed at the bank after all'), PATIENCE).toBe(1)
      expect(await shop.view(order)).toMatchObject({ state: 'paid' })
    },
  },
  {
    name: 'a void after the payment is booked as a refund, and a person is asked',
    async run({ scene, shop, buy, statusOf, mailsWith }) {
      const { order, id, checkout } = await buy()
      const request = { key: `void-${id}`, body: { reason: 'a mistake' } }
      await askOperation(scene.kassa.url, scene.shop, checkout.paymentId, 'void', request)
      await expect.poll(() => mailsWith('undone after it had paid'), PATIENCE).toBe(1)
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ status: 'reversed', refundedMinor: 0 })
      expect(await shop.view(order)).toMatchObject({ refundedMinor: TEA.amountMinor })
      expect(await statusOf(id)).toBe('refunded')
    },
  },
  {
    name: 'a refund that the staff deletes from the order is booked again, and others can follow',
    async run({ shop, buy, notesOf }) {
      const { order, id } = await buy()
      expect(await shop.refund(order, 700)).toBe(null)
      // The event of the first refund has been decided once this one is there.
      await buy()
      const [made] = (await shop.staff.order(id)).refunds
      await shop.staff.deleteRefund(id, made?.id ?? 0)
      expect(await shop.refund(order, 200)).toContain('already refunded elsewhere')
      await expect.poll(() => notesOf(order), PATIENCE).toContain('7.00 USD went back outside WooCommerce')
      expect(await shop.refund(order, 200)).toBe(null)
      expect(await shop.view(order)).toMatchObject({ refundedMinor: 900 })
    },
  },
  {
    name: 'a look-up is believed also if its time is before that of the stored state',
    async run({ scene, shop, buy, notesOf }) {
      const { order, checkout } = await buy()
      await shop.act({ do: 'ahead', payment: checkout.paymentId })
      await scene.refundOutside(checkout.paymentId, 700)
      expect(await shop.refund(order, 200)).toContain('already refunded elsewhere')
      await expect.poll(() => notesOf(order), PATIENCE).toContain('7.00 USD went back outside WooCommerce')
      expect(await shop.refund(order, 200)).toBe(null)
    },
  },
  {
    name: 'refunds from outside are booked once each, also if the staff has changed the way to pay',
    async run({ scene, shop, buy }) {
      const { order, id, checkout } = await buy()
      await shop.staff.setMethod(id, 'cod')
      for (const [amountMinor, sumMinor] of [
        [700, 700],
        [200, 900],
      ] as const) {
        await scene.refundOutside(checkout.paymentId, amountMinor)
        await expect.poll(async () => (await shop.view(order)).refundedMinor, PATIENCE).toBe(sumMinor)
      }
    },
  },
  {
    name: 'the form of the pay button shows what was typed after a mistake, once',
    async run({ shop }) {
      expect(await shop.staff.savePublicKey('kpx_mistyped')).toBe('kpx_mistyped')
      expect(await shop.staff.savePublicKey('kpk_right')).toBe('kpk_right')
    },
  },
  {
    name: 'the settings page says what is missing: the offer, the right callback secret, and its proof',
    async run({ scene, shop }) {
      const { kassa, access } = scene
      const verify = () => verifyCallback(kassa.ctx, scene.shop.merchantId)
      const expectTasks = async (...texts: string[]) =>
        expect(await shop.staff.listTasks()).toEqual(texts.map((text) => expect.stringContaining(text)))
      expect((await verify()).accepted).toBe(true)
      await expectTasks()
      // The secret of another merchant is as well formed as the right one.
      expect(await shop.staff.saveSettings({ ...access, webhookSecret: makeWebhookSecret() })).toBe(null)
      await expectTasks('No event with this callback secret has come yet')
      expect((await verify()).accepted).toBe(false)
      await expectTasks('signed with another secret')
      expect(await shop.staff.saveSettings(access, false)).toBe(null)
      await expectTasks('Buyers are not offered Kassa yet', 'Kassa has not checked yet')
      expect((await verify()).accepted).toBe(true)
      expect(await shop.staff.saveSettings(access)).toBe(null)
      await expectTasks()
      expect(await shop.staff.settingsLink()).toContain('page=wc-settings&tab=checkout&section=kassa')
    },
  },
  {
    name: 'a disputed order is put on hold, and a person is asked',
    async run({ scene, buy, statusOf, mailsWith }) {
      const { id } = await buy('dispute_lost')
      scene.kassa.clock.advance(BANK_MS)
      await expect.poll(() => statusOf(id), PATIENCE).toBe('on-hold')
      expect(mailsWith('disputes this payment')).toBe(1)
    },
  },
  {
    name: 'what goes back elsewhere leaves the stock as it is',
    async run({ scene, shop, statusOf }) {
      const productId = await shop.staff.addProduct(TEA, 5)
      const buyer = createBuyer(shop.url, 'classic', productId)
      await buyer.add()
      const checkout = await buyer.pay()
      const id = buyer.orderId ?? 0
      await scene.choose(checkout, 'paid')
      await expect.poll(() => statusOf(id), PATIENCE).toBe('processing')
      expect(await shop.staff.stockOf(productId)).toBe(4)
      await scene.refundOutside(checkout.paymentId, TEA.amountMinor)
      await expect.poll(() => statusOf(id), PATIENCE).toBe('refunded')
      expect(await shop.staff.stockOf(productId)).toBe(4)
    },
  },
  {
    name: 'six copies of an event pay the order once: one note, and one piece less in the stock',
    async run({ scene, shop, buy, statusOf }) {
      scene.gate.copies = 6
      const productId = await shop.staff.addProduct(TEA, 5)
      const buyer = createBuyer(shop.url, 'classic', productId)
      await buyer.add()
      const checkout = await buyer.pay()
      const id = buyer.orderId ?? 0
      await scene.choose(checkout, 'paid')
      const isAccepted = () =>
        scene.gate.accepted.some(
          ({ event }) => event.payment.id === checkout.paymentId && event.payment.status === 'paid',
        )
      await expect.poll(isAccepted, PATIENCE).toBe(true)
      await expect.poll(() => statusOf(id), PATIENCE).toBe('processing')
      // While the next order is paid, every copy is worked on.
      await buy()
      const { notes } = await shop.staff.view(id)
      expect(notes.filter((note) => note.startsWith('Paid through Kassa'))).toHaveLength(1)
      expect(await shop.staff.stockOf(productId)).toBe(4)
    },
  },
  {
    name: 'with more decimals than the currency has, the way to pay is not offered',
    async run({ shop }) {
      const order = await shop.createOrder(TEA)
      await shop.staff.setCurrency('USD', 3)
      await expect(shop.checkOut(order)).rejects.toThrow('The checkout says')
      await shop.staff.setCurrency('USD', 2)
      expect((await shop.checkOut(order)).paymentId).toMatch(/^pay_/)
    },
  },
]
