/** After a restore: payments that are found by the reference in their id, and a charge that was made after the backup. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openDb } from '../../storage/db.ts'
import { askOperation, createSession, lookUp, payAtBank } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { openChargingBank } from '../../testing/providers/charging-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { findAgain } from './lost-order.ts'

const { kassa, shop } = await openScene()

/** After a restore a payment is found by the reference in its id. That of another shop stays unknown. */
describe('the payment of another shop', () => {
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
      await askOperation(kassa.url, other, id, 'refunds', {
        key: 'r',
        body: { amountMinor: 1, reason: 'r' },
      }),
      await askOperation(kassa.url, other, id, 'capture', { key: 'c', body: {} }),
      await askOperation(kassa.url, other, id, 'void', { key: 'v', body: { reason: 'r' } }),
    ]
    for (const { status, body } of answers)
      expect([status, body.error.code]).toEqual([404, 'payment_not_found'])
    const { rows } = await kassa.ctx.db.query('select count(*)::int as count from sandbox.operations')
    expect(rows).toEqual([{ count: 0 }])
  })
})

/** A charge that was made after the backup: it is found at the provider, and not made again. */
describe('a charge that was made after the backup', () => {
  /** Makes the database as old as it was before the charge, and marks it as restored. */
  async function loseCharge(): Promise<void> {
    await kassa.ctx.db.query(`
    alter table sandbox.subscriptions disable trigger user;
    delete from sandbox.subscription_charges; delete from sandbox.payments; delete from sandbox.attempts;
    update sandbox.subscriptions set status = 'incomplete', period = 1, next_charge_at = anchor_at, due_at = anchor_at;
    alter table sandbox.subscriptions enable trigger user;
    delete from sandbox.restores;
    insert into sandbox.restores (restored_at, backup_at, skipped_numbers) values (now(), now() - interval '1 day', 0);
    insert into sandbox.restore_checks (merchant_id, id, kind, account_id, blocks_operations, due_at)
      select merchant_id, id, 'subscription', account_id, true, anchor_at from sandbox.subscriptions`)
  }

  test('a charge of the lost time is found by its reference, and nothing is charged while the providers are asked', async () => {
    const tokenId = await openToken(kassa.url, shop)
    const bank = openChargingBank(kassa.ctx)
    await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
    await sweep(kassa)
    expect(bank.taken).toHaveLength(1)
    await loseCharge()
    // A process that starts after the restore.
    const db = openDb(kassa.databaseUrl, { world: 'sandbox', max: 4 })
    const ctx = { ...kassa.ctx, db }
    try {
      bank.away = true
      await SWEEPS.renewals(ctx)
      await SWEEPS.restoreChecks(ctx)
      expect((await db.query('select problem from sandbox.restore_checks')).rows[0].problem).not.toBeNull()
      expect((await db.query('select ended_at from sandbox.restores')).rows).toEqual([{ ended_at: null }])
      bank.away = false
      kassa.clock.advance(120_000)
      await SWEEPS.restoreChecks(ctx)
      const { rows } = await db.query(
        'select s.status, c.state, r.ended_at is not null as ended from sandbox.subscriptions s, sandbox.subscription_charges c, sandbox.restores r',
      )
      expect(rows).toEqual([{ status: 'active', state: 'paid', ended: true }])
      await SWEEPS.renewals(ctx)
      expect(bank.taken).toHaveLength(1)
    } finally {
      await db.end()
    }
  })
})
