/** A revocation and a renewal of the same saved method lock their rows in one order. */

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
import { untilLockIsWaitedFor } from '../../testing/lock-waits.ts'
import { interruptedDb } from '../../testing/mortal-db.ts'
import { createSubscription, openToken, subscriptionRequest } from '../../testing/payments/subscriptions.ts'
import { openChargingBank } from '../../testing/providers/charging-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { revokeToken } from '../saved-methods/saved-method.ts'
import { workOnSubscription } from './work.ts'

const { kassa, shop } = await openScene()
openChargingBank(kassa.ctx)

/** How many deadlocks PostgreSQL has broken in this database. It reports them a little late. */
async function countDeadlocks(): Promise<number> {
  // Real time: on a slow machine a deadlock may be counted in the next test.
  await sleep(1_200)
  const { rows } = await kassa.ctx.db.query(
    'select deadlocks::int as n from pg_stat_database where datname = current_database()',
  )
  return rows[0].n
}

test('a revocation that comes while a renewal locks the saved method ends without a deadlock', async () => {
  const tokenId = await openToken(kassa.url, shop)
  const { body } = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
  const { id } = body.subscription
  const due = await findSubscription(kassa.ctx.db, shop.merchantId, id)
  if (!due) throw new Error(`The subscription ${id} does not exist.`)
  const before = await countDeadlocks()
  let revoking: Promise<unknown> = Promise.resolve()
  // The renewal has locked the subscription. The revocation gets as far as it can before the renewal goes on.
  const db = interruptedDb(kassa.ctx.db, 'lock_payment_method_token', async () => {
    const given = { merchantId: shop.merchantId, tokenId, idempotencyKey: 'revoked-meanwhile' }
    revoking = revokeToken(kassa.ctx, given)
    await Promise.race([untilLockIsWaitedFor(kassa.ctx.db), revoking.catch(() => {})])
  })
  const renewing = workOnSubscription({ ...kassa.ctx, db }, due)
  const ended = await Promise.allSettled([
    renewing,
    renewing.then(
      () => revoking,
      () => revoking,
    ),
  ])
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  expect((await countDeadlocks()) - before).toBe(0)
  const charges = await listSubscriptionCharges(kassa.ctx.db, {
    merchantId: shop.merchantId,
    subscriptionId: id,
  })
  expect(charges).toHaveLength(1)
})
