/** In two steps PayPal can review a payment before it holds the money. Its documents have no event for that, so it is asked. */
import { expect, test } from 'vitest'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { closeAfter } from '../../testing/scene.ts'

const HOUR_MS = 3_600_000

const scene = closeAfter(await setPaypalScene({ steps: 'two', webhook: false }))

test.each([
  ['review_accepted', 'authorized'],
  ['review_refused', 'failed'],
] as const)('%s: nothing is held before, and the payment is then %s', async (fault, end) => {
  const id = await scene.pay(fault)
  await scene.later(3 * HOUR_MS)
  expect(await scene.payment(id)).toMatchObject({
    status: 'pending_payment',
    authorizedMinor: 0,
    attempt: { underWaySince: expect.any(Date) },
  })
  expect((await scene.ask(id, 'capture', {})).status).toBe(409)
  for (let turn = 0; turn < 6; turn++) await scene.later(8 * HOUR_MS)
  expect(await scene.payment(id)).toMatchObject({ status: end, attempt: { underWaySince: null } })
})
