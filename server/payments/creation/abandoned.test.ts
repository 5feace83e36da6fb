/** A creation whose provider never answers is tried with growing pauses, and not for ever. */
import { expect, test } from 'vitest'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const { kassa, shop } = await openScene()

const SECOND_MS = 1_000
const ORDERS = 3

test('an abandoned order is asked about with growing pauses, and after a day the payment’s outcome is unknown', async () => {
  const script = scriptRoute(kassa.ctx)
  const dead = () => ({ kind: 'unavailable', message: 'the bank is away' }) as const
  script.lookUp = dead
  for (let index = 0; index < ORDERS; index++) {
    const key = `dead-${index}`
    script.starts = [() => ({ kind: 'unknown', message: 'the answer was lost' })]
    const body = sessionRequest({ merchantOrderId: key })
    expect((await createSession(kassa.url, shop, { key, body })).status).toBe(503)
  }
  const questions = () => script.calls.filter((each) => each.startsWith('look-up')).length
  for (let second = 0; second < 600; second += 2) {
    kassa.clock.advance(2 * SECOND_MS)
    await SWEEPS.statusSync(kassa.ctx)
  }
  expect(questions()).toBeGreaterThanOrEqual(ORDERS * 4)
  expect(questions()).toBeLessThanOrEqual(ORDERS * 12)
  for (let hour = 0; hour < 26; hour++) {
    kassa.clock.advance(3_600 * SECOND_MS)
    await SWEEPS.statusSync(kassa.ctx)
  }
  const { rows } = await kassa.ctx.db.query('select status from sandbox.payments where merchant_id = $1', [
    shop.merchantId,
  ])
  expect(rows).toEqual(Array.from({ length: ORDERS }, () => ({ status: 'status_unknown' })))
  kassa.clock.advance(40 * 24 * 3_600 * SECOND_MS)
  await SWEEPS.statusSync(kassa.ctx)
  const before = questions()
  for (let day = 0; day < 5; day++) {
    kassa.clock.advance(24 * 3_600 * SECOND_MS)
    await SWEEPS.statusSync(kassa.ctx)
  }
  expect(questions()).toBe(before)
})
