/** What every shop platform must show with our plug-in. Each scenario starts with a new order. */
import { expect } from 'vitest'
import { verifyCallback } from '../../receivers/check.ts'
import type { Checkout, Gap, OrderView, Sum } from './platform.ts'
import type { Scene } from './scene.ts'

export type Scenario = { name: string; needs?: Gap[]; run(scene: Scene): Promise<void> }

export const TEA: Sum = { amountMinor: 1_900, currency: 'USD' }
export const HALF_MINOR = 700
/** Long enough for a platform that looks only every ten seconds. */
export const PATIENCE = { timeout: 120_000, interval: 200 }

export const paid = (sum: Sum, refundedMinor = 0): Partial<OrderView> => ({
  state: 'paid',
  paidMinor: sum.amountMinor,
  refundedMinor,
})

export async function expectOrder(
  { platform }: Scene,
  order: string,
  expected: Partial<OrderView>,
): Promise<void> {
  await expect.poll(() => platform.view(order), PATIENCE).toMatchObject(expected)
}

export async function expectPayment(scene: Scene, { paymentId }: Checkout, status: string): Promise<void> {
  await expect.poll(async () => (await scene.payment(paymentId)).status, PATIENCE).toBe(status)
}

/** Waits until the platform has accepted an event that reports this status. */
export async function untilReported({ gate }: Scene, { paymentId }: Checkout, status: string): Promise<void> {
  const isReported = () =>
    gate.accepted.some(({ event: { payment } }) => payment.id === paymentId && payment.status === status)
  await expect.poll(isReported, PATIENCE).toBe(true)
}

export async function begin(scene: Scene, sum = TEA): Promise<{ order: string; checkout: Checkout }> {
  const order = await scene.platform.createOrder(sum)
  return { order, checkout: await scene.platform.checkOut(order) }
}

/** A paid order whose event the platform has worked on. */
export async function buy(scene: Scene, sum = TEA): Promise<{ order: string; checkout: Checkout }> {
  const begun = await begin(scene, sum)
  const back = await scene.choose(begun.checkout, 'paid')
  await scene.platform.comeBack(begun.order, back)
  await untilReported(scene, begun.checkout, 'paid')
  await expectOrder(scene, begun.order, paid(sum))
  return begun
}

/** An order that its event alone has paid, so everything that the platform was told of before was worked on before. */
export async function buyByEvent(scene: Scene): Promise<void> {
  const { order, checkout } = await begin(scene)
  await scene.choose(checkout, 'paid')
  await expectOrder(scene, order, paid(TEA))
}

/** An order whose money is authorized. */
export async function hold(scene: Scene): Promise<{ order: string; checkout: Checkout }> {
  scene.setTwoStep(true)
  const begun = await begin(scene)
  await scene.platform.comeBack(begun.order, await scene.choose(begun.checkout, 'paid'))
  await untilReported(scene, begun.checkout, 'authorized')
  await expectOrder(scene, begun.order, { state: 'held', refundedMinor: 0 })
  return begun
}

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

/** For platforms whose staff can ask for a part of what is held, because Kassa captures the whole. */
export const CAPTURE_OF_A_PART: Scenario = {
  name: 'a capture of a part is refused before anything is taken, and the whole can be captured',
  async run(scene) {
    const { order, checkout } = await hold(scene)
    expect(await scene.platform.capturePart?.(order, HALF_MINOR)).toEqual(
      expect.stringContaining('whole sum'),
    )
    expect(await scene.payment(checkout.paymentId)).toMatchObject({ status: 'authorized', capturedMinor: 0 })
    expect(await scene.platform.capturePart?.(order, TEA.amountMinor)).toBe(null)
    await expectOrder(scene, order, paid(TEA))
  },
}

export const REFUNDS_AT_ONCE: Scenario = {
  name: 'two refunds of the same sum at once: the order shows as much as was really returned',
  async run(scene) {
    const { order, checkout } = await buy(scene)
    const press = () => scene.platform.refund(order, HALF_MINOR)
    const refusals = await Promise.all([press(), press()])
    const done = refusals.filter((refusal) => refusal === null).length
    expect(done).toBeGreaterThan(0)
    await expectOrder(scene, order, paid(TEA, done * HALF_MINOR))
    expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: done * HALF_MINOR })
  },
}

const isRefund = (method: string, path: string) => method === 'POST' && path.endsWith('/refunds')

/** Kassa has made a refund of a half, and the platform has got no answer and no event. */
async function loseRefund(scene: Scene): ReturnType<typeof buy> {
  const { gate, platform, proxy } = scene
  const bought = await buy(scene)
  gate.isOpen = false
  const arrived = proxy.hold('lost', isRefund)
  const refusal = platform.refund(bought.order, HALF_MINOR)
  await arrived
  await proxy.setAway(true)
  expect(await refusal).toEqual(expect.any(String))
  await proxy.setAway(false)
  return bought
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
    name: 'two refunds by the staff, each once and with its final state',
    async run(scene) {
      const { order, checkout } = await buy(scene)
      expect(await scene.platform.refund(order, HALF_MINOR)).toBe(null)
      await expectOrder(scene, order, paid(TEA, HALF_MINOR))
      await untilReported(scene, checkout, 'partially_refunded')
      expect(await scene.platform.refund(order, HALF_MINOR)).toBe(null)
      await expectOrder(scene, order, paid(TEA, 2 * HALF_MINOR))
      expect(await scene.platform.refund(order, TEA.amountMinor)).not.toBe(null)
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: 2 * HALF_MINOR })
    },
  },
  {
    name: 'a refund from outside is booked once, beside one of the staff',
    async run(scene) {
      const { order, checkout } = await buy(scene)
      await scene.refundOutside(checkout.paymentId, HALF_MINOR)
      await expectOrder(scene, order, paid(TEA, HALF_MINOR))
      expect(await scene.platform.refund(order, 200)).toBe(null)
      await expectOrder(scene, order, paid(TEA, HALF_MINOR + 200))
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: HALF_MINOR + 200 })
    },
  },
  {
    name: 'a refund that Kassa refuses, because one from outside is not booked yet: the shop goes on, and books it',
    async run(scene) {
      const { order, checkout } = await buy(scene)
      scene.gate.isOpen = false
      await scene.refundOutside(checkout.paymentId, HALF_MINOR)
      await expectPayment(scene, checkout, 'partially_refunded')
      expect(await scene.platform.refund(order, 200)).not.toBe(null)
      await scene.reopenGate()
      await expectOrder(scene, order, paid(TEA, HALF_MINOR))
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: HALF_MINOR })
    },
  },
  {
    name: 'a refund whose answer was lost: asked for again it is booked, and was made once',
    async run(scene) {
      const { order, checkout } = await loseRefund(scene)
      expect(await scene.platform.refund(order, HALF_MINOR)).toBe(null)
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: HALF_MINOR })
      await scene.reopenGate()
      await buyByEvent(scene)
      await expectOrder(scene, order, paid(TEA, HALF_MINOR))
    },
  },
  {
    name: 'a refund whose answer was lost, and which its event has booked: asked for again it is refused, and was made once',
    async run(scene) {
      const { order, checkout } = await loseRefund(scene)
      await scene.reopenGate()
      await expectOrder(scene, order, paid(TEA, HALF_MINOR))
      expect(await scene.platform.refund(order, HALF_MINOR)).toEqual(expect.any(String))
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: HALF_MINOR })
      // Who has looked at the order can return more.
      expect(await scene.platform.refund(order, 200)).toBe(null)
      await expectOrder(scene, order, paid(TEA, HALF_MINOR + 200))
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: HALF_MINOR + 200 })
    },
  },
  {
    name: 'money that is held is captured once',
    needs: ['capture'],
    async run(scene) {
      const { order, checkout } = await hold(scene)
      expect(await scene.platform.capture(order)).toBe(null)
      await expectOrder(scene, order, paid(TEA))
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ status: 'paid', capturedMinor: 1_900 })
    },
  },
  {
    name: 'money that is held is let go',
    needs: ['void'],
    async run(scene) {
      const { order, checkout } = await hold(scene)
      expect(await scene.platform.void(order)).toBe(null)
      await expectPayment(scene, checkout, 'reversed')
      await untilReported(scene, checkout, 'reversed')
      expect(await scene.platform.view(order)).toMatchObject({ paidMinor: 0, refundedMinor: 0 })
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
  {
    name: 'AMD: 1 900 drams are 1 900 drams, and so is a part of them returned',
    async run(scene) {
      const cups: Sum = { amountMinor: 190_000, currency: 'AMD' }
      const { order, checkout } = await buy(scene, cups)
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ amountMinor: 190_000, currency: 'AMD' })
      expect(await scene.platform.refund(order, 50_000)).toBe(null)
      await expectOrder(scene, order, paid(cups, 50_000))
      expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: 50_000 })
    },
  },
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
