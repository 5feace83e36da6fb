/** What every shop platform must show with our plug-in. Each scenario starts with a new order. */
import { expect } from 'vitest'
import { verifyCallback } from '../../receivers/check.ts'
import { MONEY_SCENARIOS } from './money-scenarios.ts'
import {
  begin,
  buy,
  buyByEvent,
  expectOrder,
  expectPayment,
  paid,
  type Scenario,
  TEA,
  untilReported,
} from './steps.ts'

/** For platforms whose driver can change a cart after its payment was made. */
export const CHANGED_AFTER_PAYING: Scenario = {
  name: 'a cart that changes after it was paid, before anybody has told: the money is booked, and only the rest is asked for',
  needs: ['changeCart'],
  async run(scene) {
    const { gate, platform } = scene
    gate.isOpen = false
    const { order, checkout } = await begin(scene)
    await scene.choose(checkout, 'paid')
    // Some platforms refuse the change.
    await platform.changeCart(order).catch(() => null)
    await scene.reopenGate()
    await expectOrder(scene, order, { paidMinor: TEA.amountMinor })
    if ((await platform.view(order)).state !== 'open') return
    // Kassa would ask the buyer whether to pay the same sum again, so the test ends here.
    const second = await platform.checkOut(order)
    expect(await scene.payment(second.paymentId)).toMatchObject({ amountMinor: TEA.amountMinor })
    expect(second.paymentId).not.toBe(checkout.paymentId)
  },
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'callback verify passes every check',
    async run({ kassa, shop }) {
      const { accepted, checks } = await verifyCallback(kassa.ctx, shop.merchantId)
      expect(checks.filter(({ passed }) => !passed)).toEqual([])
      expect(accepted).toBe(true)
    },
  },
  {
    name: 'a purchase: the return page shows the paid order before any event has come',
    async run(scene) {
      scene.gate.isOpen = false
      const { order, checkout } = await begin(scene)
      expect(await scene.platform.view(order)).toMatchObject({ state: 'open', paidMinor: 0 })
      await scene.platform.comeBack(order, await scene.choose(checkout, 'paid'))
      await expectOrder(scene, order, paid(TEA))
    },
  },
  {
    name: 'a closed tab: the event alone pays the order, once',
    run: buyByEvent,
  },
  {
    name: 'the button pressed twice leads to one payment',
    async run(scene) {
      const { order, checkout } = await begin(scene)
      expect((await scene.platform.checkOut(order)).paymentId).toBe(checkout.paymentId)
    },
  },
  {
    name: 'declined and then cancelled at the bank: the order shows it, and can be paid anew',
    async run(scene) {
      const { order, checkout } = await begin(scene)
      await scene.platform.comeBack(order, await scene.choose(checkout, 'cancelled'))
      await untilReported(scene, checkout, 'cancelled')
      await expectOrder(scene, order, { state: 'open', paidMinor: 0, failures: 1 })
      const second = await scene.platform.checkOut(order)
      expect(second.paymentId).not.toBe(checkout.paymentId)
      await scene.choose(second, 'paid')
      await expectOrder(scene, order, paid(TEA))
    },
  },
  {
    name: 'a cart that changes while the old page is open: the old payment is closed, the new one has the new sum',
    needs: ['changeCart'],
    async run(scene) {
      const { order, checkout } = await begin(scene)
      const amountMinor = await scene.platform.changeCart(order)
      expect(amountMinor).toBeGreaterThan(TEA.amountMinor)
      const second = await scene.platform.checkOut(order)
      expect(second.paymentId).not.toBe(checkout.paymentId)
      await expectPayment(scene, checkout, 'cancelled')
      await scene.choose(second, 'paid')
      await expectOrder(scene, order, paid({ ...TEA, amountMinor }))
    },
  },
  {
    name: 'six copies of each event at once, and the return beside them: the order is paid once',
    async run(scene) {
      scene.gate.copies = 6
      const { order, checkout } = await begin(scene)
      const back = await scene.choose(checkout, 'paid')
      await Promise.all([untilReported(scene, checkout, 'paid'), scene.platform.comeBack(order, back)])
      await expectOrder(scene, order, paid(TEA))
    },
  },
  {
    name: 'a kill right after 200: the stored event pays the order after the restart',
    async run(scene) {
      const { order, checkout } = await begin(scene)
      const killed = Promise.withResolvers<void>()
      scene.gate.afterAccepted = async ({ event }) => {
        if (event.payment.id !== checkout.paymentId || event.payment.status !== 'paid') return
        scene.gate.afterAccepted = null
        scene.gate.isOpen = false
        await scene.platform.kill()
        killed.resolve()
      }
      await scene.choose(checkout, 'paid')
      await killed.promise
      await scene.platform.restart()
      await expectOrder(scene, order, paid(TEA))
    },
  },
  {
    name: 'an old event that comes again, after the refund, revives nothing',
    async run(scene) {
      const { order, checkout } = await buy(scene)
      const old = scene.gate.accepted.find(
        ({ event: { payment } }) => payment.id === checkout.paymentId && payment.status === 'paid',
      )
      await scene.refundOutside(checkout.paymentId, TEA.amountMinor)
      await expectOrder(scene, order, { refundedMinor: TEA.amountMinor })
      const before = await scene.platform.view(order)
      expect(old && (await scene.gate.replay(old))).toBe(200)
      await buyByEvent(scene)
      expect(await scene.platform.view(order)).toEqual(before)
    },
  },
  ...MONEY_SCENARIOS,
  {
    name: 'settings are checked before they are stored',
    needs: ['saveSettings'],
    async run({ platform, access }) {
      const refusals = [
        await platform.saveSettings({ ...access, url: 'http://pay.example' }),
        await platform.saveSettings({ ...access, token: `${access.token.slice(0, -1)}x` }),
        await platform.saveSettings({ ...access, webhookSecret: 'whsec_short' }),
      ]
      expect(refusals.filter((refusal) => refusal === null)).toEqual([])
      expect(await platform.saveSettings(access)).toBe(null)
    },
  },
]
