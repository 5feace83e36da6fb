/** What a plug-in does while Kassa is slow, lags behind, or was told to do something from outside. Not every platform runs each. */
import { expect } from 'vitest'
import { setCallback } from '../../receivers/receiver.ts'
import { openShop } from '../harness.ts'
import type { Checkout } from './platform.ts'
import type { Scene } from './scene.ts'
import {
  begin,
  buy,
  buyByEvent,
  expectOrder,
  expectPayment,
  HALF_MINOR,
  hold,
  PATIENCE,
  paid,
  type Scenario,
  TEA,
  untilReported,
} from './steps.ts'

/** The first pause of the plug-ins, and how often a client sends one look-up at most. */
const FIRST_PAUSE_MS = 15_000
const SENDS_MAX = 3
/** Each of their events makes the plug-in look through everything that it was told about. */
const OTHERS = 5

/** Counts the platform's look-ups of this payment from now on. `error`: what they get instead of Kassa's answer. */
function countLookUps(
  { proxy }: Scene,
  paymentId: string,
  error?: { status: number; code: string },
): () => number {
  let count = 0
  const isMeant = (method: string, path: string) => {
    const isIt = method === 'GET' && path.includes(`paymentId=${paymentId}`)
    if (isIt) count++
    return isIt
  }
  if (error) {
    const body = JSON.stringify({ ok: false, error: { code: error.code, message: 'No.' } })
    proxy.answerWith({ status: error.status, body, isMeant })
  } else proxy.slowDown({ ms: 0, isMeant })
  return () => count
}

/** Sends the platform an event of this payment again. */
async function replay(scene: Scene, checkout: Checkout, status: string): Promise<void> {
  await untilReported(scene, checkout, status)
  const { gate } = scene
  const { paymentId } = checkout
  const old = gate.accepted.findLast(
    ({ event: { payment } }) => payment.id === paymentId && payment.status === status,
  )
  expect(old && (await gate.replay(old))).toBe(200)
}

async function keptMinor({ platform }: Scene, order: string): Promise<number> {
  const { paidMinor, refundedMinor } = await platform.view(order)
  return paidMinor - refundedMinor
}

export const SLOW_KASSA: Scenario = {
  name: 'a payment that Kassa cannot look up now: it is asked after seldom, holds up no other, and is paid by the next event',
  async run(scene) {
    const { proxy } = scene
    const { order, checkout } = await begin(scene)
    const count = countLookUps(scene, checkout.paymentId, { status: 503, code: 'storage_unavailable' })
    await scene.choose(checkout, 'paid')
    await untilReported(scene, checkout, 'paid')
    await expect.poll(count, PATIENCE).toBeGreaterThanOrEqual(SENDS_MAX)
    const [before, since] = [count(), performance.now()]
    for (let others = 0; others < OTHERS; others++) await buy(scene)
    // One try may have been under way, and one may have begun by a second event.
    const tries = 2 + Math.floor((performance.now() - since) / FIRST_PAUSE_MS)
    expect(count() - before).toBeLessThanOrEqual(SENDS_MAX * tries)
    expect(await scene.platform.view(order)).toMatchObject({ paidMinor: 0 })
    proxy.answerWith(null)
    await replay(scene, checkout, 'paid')
    await expectOrder(scene, order, paid(TEA))
  },
}

export const UNKNOWN_TO_KASSA: Scenario = {
  name: 'a payment that Kassa does not know any more is a note for the staff, and is not asked after again',
  async run(scene) {
    const { proxy } = scene
    const { order, checkout } = await buy(scene)
    const count = countLookUps(scene, checkout.paymentId, { status: 404, code: 'payment_not_found' })
    await replay(scene, checkout, 'paid')
    const notes = async () => (await scene.platform.view(order)).notes.join()
    await expect.poll(notes, PATIENCE).toMatch(`does not know the payment ${checkout.paymentId}`)
    // The first purchase ends what was still under way, such as the first event.
    await buyByEvent(scene)
    const before = count()
    await buyByEvent(scene)
    expect(count()).toBe(before)
    proxy.answerWith(null)
    await scene.refundOutside(checkout.paymentId, HALF_MINOR)
    await expectOrder(scene, order, paid(TEA, HALF_MINOR))
  },
}

/** For platforms that have refunds which are under way. */
export const REFUND_DURING_ANOTHER: Scenario = {
  name: 'a second refund while the bank still works on the first: both are shown as under way, and then as returned',
  async run(scene) {
    const { platform, proxy } = scene
    const { order, checkout } = await buy(scene)
    proxy.rewrite((text) => text.replaceAll('"status":"succeeded"', '"status":"processing"'))
    expect(await platform.refund(order, HALF_MINOR)).toBe(null)
    expect(await platform.refund(order, 200)).toBe(null)
    expect(await platform.view(order)).toMatchObject(paid(TEA))
    proxy.rewrite(null)
    await replay(scene, checkout, 'partially_refunded')
    await expectOrder(scene, order, paid(TEA, HALF_MINOR + 200))
    expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: HALF_MINOR + 200 })
  },
}

/** For platforms whose refunds are done or refused. */
export const REFUND_REFUSED_DURING_ANOTHER: Scenario = {
  name: 'a second refund while the bank still works on the first: it is refused, takes nothing, and works when the first is done',
  async run(scene) {
    const { gate, platform, proxy } = scene
    const { order, checkout } = await buy(scene)
    gate.isOpen = false
    proxy.rewrite((text) => text.replaceAll('"status":"succeeded"', '"status":"processing"'))
    expect(await platform.refund(order, HALF_MINOR)).toMatch('under way')
    expect(await platform.refund(order, 200)).toEqual(expect.any(String))
    expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: HALF_MINOR })
    proxy.rewrite(null)
    await scene.reopenGate()
    await expectOrder(scene, order, paid(TEA, HALF_MINOR))
    expect(await platform.refund(order, 200)).toBe(null)
    await expectOrder(scene, order, paid(TEA, HALF_MINOR + 200))
    expect(await scene.payment(checkout.paymentId)).toMatchObject({ refundedMinor: HALF_MINOR + 200 })
  },
}

/** For platforms where code of the shop can go past the plug-in's check of an amount. */
export const PART_CAPTURED_BY_CODE: Scenario = {
  name: 'a part that code of the shop has captured: Kassa takes the whole, and the order has the whole with a note',
  needs: ['capture'],
  async run(scene) {
    const { platform } = scene
    const { order, checkout } = await hold(scene)
    expect(await platform.capturePartByCode?.(order, HALF_MINOR)).toBe(null)
    await expectPayment(scene, checkout, 'paid')
    await expectOrder(scene, order, paid(TEA))
    const notes = async () => (await platform.view(order)).notes.join()
    await expect.poll(notes, PATIENCE).toMatch('a part was captured')
    expect(await scene.payment(checkout.paymentId)).toMatchObject({
      capturedMinor: TEA.amountMinor,
      refundedMinor: 0,
    })
  },
}

export const PART_CAPTURED_OUTSIDE: Scenario = {
  name: 'a part that was captured from outside, and then the staff’s capture of all: the order has what was really taken',
  needs: ['capture'],
  async run(scene) {
    const { gate, platform } = scene
    const { order, checkout } = await hold(scene)
    gate.isOpen = false
    await scene.captureOutside(checkout.paymentId, HALF_MINOR)
    await expectPayment(scene, checkout, 'paid')
    await platform.capture(order)
    await scene.reopenGate()
    await expect.poll(() => keptMinor(scene, order), PATIENCE).toBe(HALF_MINOR)
    expect(await scene.payment(checkout.paymentId)).toMatchObject({
      capturedMinor: HALF_MINOR,
      refundedMinor: 0,
    })
  },
}

export const LATE_AUTHORIZED: Scenario = {
  name: 'a look-up that still says authorized after the capture: nothing counts as returned',
  needs: ['capture'],
  async run(scene) {
    const { gate, platform, proxy } = scene
    const { order, checkout } = await hold(scene)
    gate.isOpen = false
    expect(await platform.capture(order)).toBe(null)
    proxy.rewrite((text) =>
      text.includes(checkout.paymentId) && text.includes('"capturedMinor"')
        ? text
            .replace('"status":"paid"', '"status":"authorized"')
            .replace(/"capturedMinor":\d+/, '"capturedMinor":0')
        : text,
    )
    await scene.reopenGate()
    await untilReported(scene, checkout, 'paid')
    scene.setTwoStep(false)
    await buyByEvent(scene)
    expect(await platform.view(order)).toMatchObject(paid(TEA))
    proxy.rewrite(null)
  },
}

export const VOID_AFTER_CAPTURE: Scenario = {
  name: 'money that was captured from outside, and then let go by the staff: the order has what Kassa has',
  needs: ['void'],
  async run(scene) {
    const { gate, platform } = scene
    const { order, checkout } = await hold(scene)
    gate.isOpen = false
    await scene.captureOutside(checkout.paymentId, TEA.amountMinor)
    await expectPayment(scene, checkout, 'paid')
    const refusal = await platform.void(order)
    await scene.reopenGate()
    // What is captured is let go by the bank, or returned by the platform. Otherwise the button is refused.
    const statusNow = async () => (await scene.payment(checkout.paymentId)).status
    await expect.poll(statusNow, PATIENCE).toMatch(refusal === null ? /^(reversed|refunded)$/ : /^paid$/)
    await untilReported(scene, checkout, await statusNow())
    await expect.poll(() => keptMinor(scene, order), PATIENCE).toBe(refusal === null ? 0 : TEA.amountMinor)
  },
}

export const VOID_WITHOUT_KASSA: Scenario = {
  name: 'held money that the staff lets go while Kassa is away: it is refused, and works when Kassa is back',
  needs: ['void'],
  async run(scene) {
    const { platform, proxy } = scene
    const { order, checkout } = await hold(scene)
    await proxy.setAway(true)
    expect(await platform.void(order)).toEqual(expect.any(String))
    await proxy.setAway(false)
    expect(await platform.view(order)).toMatchObject({ state: 'held' })
    await expectPayment(scene, checkout, 'authorized')
    expect(await platform.void(order)).toBe(null)
    await expectPayment(scene, checkout, 'reversed')
  },
}

export const STRANGER: Scenario = {
  name: 'a stranger who calls the return learns nothing, and makes the plug-in ask Kassa nothing',
  async run(scene) {
    const { platform } = scene
    const { order, checkout } = await begin(scene)
    const count = countLookUps(scene, checkout.paymentId)
    const refusal = await platform.comeBackAsStranger?.(order)
    expect(refusal).toEqual(expect.any(String))
    expect(await platform.comeBackAsStranger?.('NO-SUCH-ORDER')).toBe(refusal)
    await Promise.all(Array.from({ length: 10 }, () => platform.comeBackAsStranger?.(order)))
    expect(count()).toBe(0)
    // The buyer's own page is bounded too: one look in two seconds, and each look is sent once.
    const since = performance.now()
    await Promise.all(Array.from({ length: 10 }, () => platform.comeBack(order, checkout.checkoutUrl)))
    expect(count()).toBeGreaterThan(0)
    expect(count()).toBeLessThanOrEqual(1 + Math.floor((performance.now() - since) / 2_000))
  },
}

export const TWO_CHANNELS: Scenario = {
  name: 'two channels whose payment methods have one code and two merchants: each order is looked up at its own',
  async run({ kassa, gate, platform, access, choose }) {
    for (let channels = 0; channels < 2; channels++) {
      const { merchantId, token, webhookSecret } = await openShop(kassa.ctx)
      await setCallback(kassa.ctx, merchantId, gate.url)
      const channel = await platform.openChannel?.({ url: access.url, token, webhookSecret })
      if (!channel) throw new Error('This platform has no channels.')
      const order = await channel.createOrder(TEA)
      const checkout = await channel.checkOut(order)
      await channel.comeBack(order, await choose(checkout, 'paid'))
      await expect.poll(() => platform.view(order), PATIENCE).toMatchObject(paid(TEA))
    }
  },
}
