/** A charge that was made after the backup: it is found at the provider, and not made again. */
import { expect, test } from 'vitest'
import { openDb } from '../../storage/db.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { openChargingBank } from '../../testing/providers/charging-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const { kassa, shop } = await openScene()

/** Makes the database as old as it was before the charge, and marks it as restored. */
async function loseCharge(): Promise<void> {
  await kassa.ctx.db.query(`
    alter table sandbox.subscriptions disable trigger user;
    delete from sandbox.subscription_charges; delete from sandbox.payments; delete from sandbox.attempts;
    update sandbox.subscriptions set status = 'incomplete', period = 1, next_charge_at = anchor_at, due_at = anchor_at;
    alter table sandbox.subscriptions enable trigger user;
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
