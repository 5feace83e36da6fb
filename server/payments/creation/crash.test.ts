/** A creation whose process or provider is gone. */
import { expect, test } from 'vitest'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { expectOneOrderEach } from './crash.suite.ts'

const { kassa, shop } = await openScene()

/**
 * `crash-sweep.test.ts` ends a process at every step of a creation. `npm run test:long -- payments` kills real processes with
 * their database.
 */
test('the worker finishes a creation whose process died, without a retry', async () => {
  // The rows that a kill between the two statements leaves.
  await kassa.ctx.db.query(
    `with begun as (
    insert into sandbox.payments (merchant_id, id, merchant_order_id, amount_minor, currency, expires_at, created_at, updated_at)
    values ($1, 'pay_left', 'left', 100, 'USD', $2, $3, $3) returning id), opening as (
    insert into sandbox.attempts (merchant_id, payment_id, number, provider, account_id, reference, state, expires_at, created_at,
      lease_until, question_due_at)
    values ($1, 'pay_left', 1, 'route_a', $4, 'left', 'opening', $2, $3, $3, $3))
    insert into sandbox.idempotency_keys (merchant_id, scope, key, fingerprint, payment_id, created_at)
    select $1, 'POST /v1/payment-sessions', 'left', 'x', id, $3 from begun`,
    [shop.merchantId, new Date(Date.now() + 3_600_000), new Date(), kassa.ctx.routes.route_a.id],
  )
  kassa.clock.advance(60_000)
  await SWEEPS.statusSync(kassa.ctx)
  expect((await lookUp(kassa.url, shop, 'pay_left')).body.status).toBe('pending_redirect')
  await expectOneOrderEach(kassa)
})

const SECOND_MS = 1_000
const ORDERS = 3

test('an abandoned order is asked about with growing pauses, and after a day the payment’s outcome is unknown', async () => {
  const shop = await openShop(kassa.ctx)
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
