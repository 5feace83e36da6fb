/** After a restore a payment is found by the reference in its id. That of another shop stays unknown. */
import { beforeAll, expect, test } from 'vitest'
import { askOperation, createSession, lookUp, payAtBank } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { openKassa } from '../../testing/scene.ts'
import { findAgain } from './lost-order.ts'

const kassa = await openKassa()

/** Before the first request, because a process keeps in mind that there was none. */
beforeAll(() =>
  kassa.ctx.db.query(
    `insert into sandbox.restores (restored_at, backup_at, skipped_numbers, ended_at)
     values (now() - interval '1 hour', now() - interval '2 hours', 0, now())`,
  ),
)

test('the id of another shop’s payment is unknown after a restore too, and moves no money', async () => {
  const [owner, other] = [await openShop(kassa.ctx), await openShop(kassa.ctx)]
  const sold = await createSession(kassa.url, owner, { key: 'sold' })
  const id: string = sold.body.id
  await payAtBank(sold.body.providerCheckoutUrl, 'paid')
  expect((await lookUp(kassa.url, owner, id)).body.status).toBe('paid')
  expect((await findAgain(kassa.ctx, id))?.merchantId).toBe(owner.merchantId)

  const answers = [
    await lookUp(kassa.url, other, id),
    await askOperation(kassa.url, other, id, 'refunds', { key: 'r', body: { amountMinor: 1, reason: 'r' } }),
    await askOperation(kassa.url, other, id, 'capture', { key: 'c', body: {} }),
    await askOperation(kassa.url, other, id, 'void', { key: 'v', body: { reason: 'r' } }),
  ]
  for (const { status, body } of answers)
    expect([status, body.error.code]).toEqual([404, 'payment_not_found'])
  const { rows } = await kassa.ctx.db.query('select count(*)::int as count from sandbox.operations')
  expect(rows).toEqual([{ count: 0 }])
})
