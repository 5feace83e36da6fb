import { expect, test } from 'vitest'
import { lookUp } from '../../testing/calls.ts'
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
