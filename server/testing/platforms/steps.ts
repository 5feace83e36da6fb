/** The steps of the scenarios: to order, pay, hold and expect at a shop platform. */
import { expect } from 'vitest'
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

/** An order that its event alone has paid, so everything that the platform was told about before was worked on before. */
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
