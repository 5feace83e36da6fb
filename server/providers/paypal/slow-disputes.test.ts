/** A question can do without disputes: PayPal's slow or failing disputes service must not stop payments. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PaypalScene, setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'

const HOUR_MS = 3_600_000
const isDisputes = (_method: string, path: string) => path.startsWith('/v1/customer/disputes')

let scene: PaypalScene
beforeAll(async () => {
  scene = await setPaypalScene()
})
afterEach(() => scene.proxy.slowDown(null))
afterAll(() => scene.close())

const slowDown = (ms: number) => scene.proxy.slowDown({ ms, isMeant: isDisputes })
const factsOf = async (id: string) => (await scene.payment(id)).attempt.facts as Record<string, unknown>

test('a payment is paid when the buyer returns, although the disputes service takes 5.5 seconds', async () => {
  slowDown(5_500)
  const { body } = await scene.open()
  expect(await scene.comeBack(await actAsBuyer(body.providerCheckoutUrl, 'pay'))).toContain('/thanks')
  expect(await scene.status(body.id)).toBe('paid')
}, 30_000)

test('a refund that was made at PayPal is seen although the disputes service takes 5.5 seconds', async () => {
  const id = await scene.pay()
  await scene.ask(id, 'refunds', { amountMinor: 700, reason: 'returned' })
  await scene.later(2 * HOUR_MS)
  slowDown(5_500)
  await scene.ask(id, 'refunds', { amountMinor: 200, reason: 'returned' })
  await scene.later(1_000)
  expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 900 })
}, 30_000)

test('a lost dispute is seen although each request to the disputes service takes 2.6 seconds', async () => {
  const id = await scene.pay('dispute_lost')
  slowDown(2_600)
  scene.server.takeSent()
  await scene.later(60_000)
  await scene.later(25 * HOUR_MS)
  await scene.deliver()
  expect(await scene.status(id)).toBe('reversed')
}, 40_000)

test('a known dispute stays while the disputes service does not answer, and the callback about its end is not forgotten', async () => {
  scene.server.takeSent()
  const id = await scene.pay('dispute_lost')
  await scene.later(60_000)
  await scene.deliver()
  const { dispute } = await factsOf(id)
  expect([await scene.status(id), dispute]).toEqual(['disputed', expect.anything()])
  slowDown(60_000)
  await scene.later(25 * HOUR_MS)
  expect(new Set(await scene.deliver())).toEqual(new Set([200]))
  expect([await scene.status(id), (await factsOf(id)).dispute]).toEqual(['disputed', dispute])
  scene.proxy.slowDown(null)
  await scene.later(60_000)
  expect(await scene.status(id)).toBe('reversed')
  slowDown(60_000)
  await scene.later(25 * HOUR_MS)
  await scene.later(25 * HOUR_MS)
  expect(await scene.status(id)).toBe('reversed')
}, 60_000)
