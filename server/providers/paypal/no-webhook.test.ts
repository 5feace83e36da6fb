/**
 * A shop with PayPal and without a webhook: what happens at PayPal is noticed by questions alone. The clock runs through 200 days,
 * from one due question to the next.
 */
import { expect, test } from 'vitest'
import { DUE_QUESTIONS, DUE_SETTLED_QUESTIONS } from '../../storage/payments/due-accounts.ts'
import { openDispute } from '../../testing/providers/paypal/disputes.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { passRealTime } from '../../testing/real-time.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const requests: string[] = []
const scene = closeAfter(
  await setPaypalScene({
    webhook: false,
    onRequest: ({ method, url }) => requests.push(`${method} ${url}`),
  }),
)

const now = () => scene.kassa.clock.now().getTime()

/**
 * Moves the clock by `ms`, from one due question to the next. Stops early when the payment has this status. Returns the time
 * that passed.
 */
async function run(ms: number, until?: { id: string; status: string }): Promise<number> {
  const { ctx, clock } = scene.kassa
  const start = now()
  for (;;) {
    if (until && (await scene.status(until.id)) === until.status) return now() - start
    const due = [await DUE_QUESTIONS.next(ctx.db), await DUE_SETTLED_QUESTIONS.next(ctx.db)]
    const next = Math.min(...due.map((at) => at?.getTime() ?? Number.POSITIVE_INFINITY), start + ms)
    const leapMs = Math.max(next - now(), 0)
    clock.advance(leapMs)
    // The access token ends by the time of the process. Else PayPal refuses it each day, and each question is sent twice.
    passRealTime(leapMs)
    scene.server.paypal.work()
    await SWEEPS.statusSync(ctx)
    await SWEEPS.settledSync(ctx)
    if (next >= start + ms) return now() - start
  }
}

const orderOf = async (id: string) => {
  const [order] = await scene.orders(id)
  if (!order) throw new Error('PayPal has no order')
  return order
}
const questions = async (id: string) => {
  const { id: order } = await orderOf(id)
  return requests.filter((each) => each === `GET /v2/checkout/orders/${order}`).length
}

/** The buyer approves at PayPal after so long, and closes the tab. */
async function approve(afterMs: number): Promise<string> {
  const { body } = await scene.open()
  await run(afterMs)
  await actAsBuyer(body.providerCheckoutUrl, 'pay')
  return body.id
}

/** Somebody refunds in PayPal's dashboard. */
async function refundByHand(id: string, value: string): Promise<void> {
  const [capture] = (await orderOf(id)).captures
  const { server } = scene
  server.account.accessTokens.set('of-the-dashboard', new Date(now() + HOUR_MS))
  const reply = server.paypal.answer({
    method: 'POST',
    url: `/v2/payments/captures/${capture?.id}/refund`,
    headers: { authorization: 'Bearer of-the-dashboard', 'paypal-request-id': `${id}-${value}` },
    body: JSON.stringify({ amount: { currency_code: 'USD', value } }),
  })
  expect(reply.status).toBe(201)
}

test('an approval in minute 3 whose buyer closes the tab is paid, and a refund and a dispute made at PayPal are seen', async () => {
  const id = await approve(3 * MINUTE_MS)
  const paidAfterMs = await run(2 * HOUR_MS, { id, status: 'paid' })
  expect(await scene.status(id)).toBe('paid')

  await run(4 * DAY_MS + 7 * HOUR_MS)
  await refundByHand(id, '5.00')
  const refundSeenAfterMs = await run(10 * DAY_MS, { id, status: 'partially_refunded' })
  expect(await scene.status(id)).toBe('partially_refunded')

  await run(3 * DAY_MS + 5 * HOUR_MS)
  openDispute(scene.server.paypal.world, scene.server.account, await orderOf(id))
  const disputeSeenAfterMs = await run(10 * DAY_MS, { id, status: 'disputed' })
  expect(await scene.status(id)).toBe('disputed')

  expect(paidAfterMs).toBeLessThanOrEqual(5 * MINUTE_MS)
  expect(refundSeenAfterMs).toBeLessThanOrEqual(DAY_MS)
  expect(disputeSeenAfterMs).toBeLessThanOrEqual(DAY_MS)
}, 60_000)

test('a payment gets 97 questions in half a year if it is paid, and 131 if its buyer never comes', {
  tags: ['long'],
}, async () => {
  const abandoned = await scene.open()
  const paid = await approve(3 * MINUTE_MS)
  await run(185 * DAY_MS)
  expect([await scene.status(paid), await scene.status(abandoned.body.id)]).toEqual(['paid', 'expired'])
  expect([await questions(paid), await questions(abandoned.body.id)]).toEqual([97, 131])
})
