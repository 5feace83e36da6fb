/** What a platform's staff, or somebody outside it, does with money that was taken or is held. */
import { expect } from 'vitest'
import type { Sum } from './platform.ts'
import type { Scene } from './scene.ts'
import {
  buy,
  buyByEvent,
  expectOrder,
  expectPayment,
  HALF_MINOR,
  hold,
  paid,
  type Scenario,
  TEA,
  untilReported,
} from './steps.ts'

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

export const MONEY_SCENARIOS: readonly Scenario[] = [
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
]
