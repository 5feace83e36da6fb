/** A question can do without disputes: PayPal's slow or failing disputes service must not stop payments. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'

const HOUR_MS = 3_600_000
/** What a request about disputes may take here. The driver gives it some seconds. */
const SHORT_MS = 50
const LONG_MS = 60_000
const isDisputes = (_method: string, path: string) => path.startsWith('/v1/customer/disputes')

let limitMs = LONG_MS
const scene = closeAfter(await setPaypalScene())
beforeAll(async () => {
  const { ctx } = scene.kassa
  const { providers } = ctx
  const open: typeof providers.open = (...given) => {
    const http = providers.open(...given)
    return {
      ...http,
      request: (given) => http.request(given.isOptional ? { ...given, timeoutMs: limitMs } : given),
    }
  }
  ctx.providers = { ...providers, open }
})
afterEach(() => answerAgain())

const slowDown = (ms: number) => scene.proxy.slowDown({ ms, isMeant: isDisputes })
/** From now on the disputes service answers nothing within the limit. */
function hang(): void {
  limitMs = SHORT_MS
  slowDown(LONG_MS)
}
function answerAgain(): void {
  limitMs = LONG_MS
  scene.proxy.slowDown(null)
}
const factsOf = async (id: string) => (await scene.payment(id)).attempt.facts as Record<string, unknown>

test('a payment is paid when the buyer returns, although the disputes service does not answer in time', async () => {
  hang()
  const { body } = await scene.open()
  expect(await scene.comeBack(await actAsBuyer(body.providerCheckoutUrl, 'pay'))).toContain('/thanks')
  expect(await scene.status(body.id)).toBe('paid')
})

test('a refund that was made at PayPal is seen although the disputes service does not answer in time', async () => {
  const id = await scene.pay()
  await scene.ask(id, 'refunds', { amountMinor: 700, reason: 'returned' })
  await scene.later(2 * HOUR_MS)
  hang()
  await scene.ask(id, 'refunds', { amountMinor: 200, reason: 'returned' })
  await scene.later(1_000)
  expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 900 })
})

test('a lost dispute is seen although each request to the disputes service takes a while', async () => {
  const id = await scene.pay('dispute_lost')
  slowDown(150)
  scene.server.takeSent()
  await scene.later(60_000)
  await scene.later(25 * HOUR_MS)
  await scene.deliver()
  expect(await scene.status(id)).toBe('reversed')
})

test('a known dispute stays while the disputes service does not answer, and the callback about its end is not forgotten', async () => {
  scene.server.takeSent()
  const id = await scene.pay('dispute_lost')
  await scene.later(60_000)
  await scene.deliver()
  const { dispute } = await factsOf(id)
  expect([await scene.status(id), dispute]).toEqual(['disputed', expect.anything()])
  hang()
  await scene.later(25 * HOUR_MS)
  expect(new Set(await scene.deliver())).toEqual(new Set([200]))
  expect([await scene.status(id), (await factsOf(id)).dispute]).toEqual(['disputed', dispute])
  answerAgain()
  await scene.later(60_000)
  expect(await scene.status(id)).toBe('reversed')
  hang()
  await scene.later(25 * HOUR_MS)
  await scene.later(25 * HOUR_MS)
  expect(await scene.status(id)).toBe('reversed')
})
