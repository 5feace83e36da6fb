import { expect, test } from 'vitest'
import { findBrokenRules } from '../storage/backup/facts.ts'
import { inTransaction } from '../storage/db.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'
import { dropOldChanges, dropOldEvents, dropOldExchanges } from './retention.ts'
import { SWEEPS } from './sweeps.ts'

const DAY_MS = 86_400_000
const kassa = await openKassa()

test('a warning reports deleted events that were never delivered, and their payment shows that there were some', async () => {
  const shop = await openShop(kassa.ctx)
  const { id, providerCheckoutUrl } = (await createSession(kassa.url, shop)).body
  const show = async () =>
    (await operateHere(async () => kassa.ctx, ['payment', 'show', '--payment', id])).stdout
  expect(await show()).toContain('None yet')
  await payAtBank(providerCheckoutUrl, 'paid')
  expect(await show()).not.toMatch(/None yet|removed/)
  kassa.clock.advance(30 * DAY_MS + 1_000)
  const logged: unknown[] = []
  const log = Object.assign(Object.create(kassa.ctx.log), { warn: (line: unknown) => void logged.push(line) })
  await dropOldEvents({ ...kassa.ctx, log })
  expect(logged).toEqual([{ merchantId: shop.merchantId, events: 1, before: expect.any(Date) }])
  expect(await show()).toMatch(/1 event removed, because events are stored for 30d \(EVENT_RETENTION\)/)
  await dropOldEvents({ ...kassa.ctx, log })
  expect(logged).toHaveLength(1)
})

const count = async (table: string, paymentId: string) =>
  (
    await kassa.ctx.db.query(`select count(*)::int as count from sandbox.${table} where payment_id = $1`, [
      paymentId,
    ])
  ).rows[0].count

test('old histories keep their last line and the money, and open payments and younger ones all', async () => {
  const shop = await openShop(kassa.ctx)
  const make = async (key: string) =>
    (await createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })).body
  const [old, unknown] = [await make('old'), await make('unknown')]
  await payAtBank(old.providerCheckoutUrl, 'paid')
  await payAtBank(unknown.providerCheckoutUrl, 'unknown')
  await lookUp(kassa.url, shop, unknown.id)
  const [lines, doubtful, entries] = [
    await count('payment_changes', old.id),
    await count('payment_changes', unknown.id),
    await count('entries', old.id),
  ]
  expect(lines).toBeGreaterThan(1)
  expect(doubtful).toBeGreaterThan(1)
  const ctx = { ...kassa.ctx, config: { ...kassa.ctx.config, changeRetentionSeconds: 400 * 86_400 } }
  await dropOldChanges(ctx)
  expect(await count('payment_changes', old.id)).toBe(lines)
  kassa.clock.advance(401 * DAY_MS)
  const young = await make('young')
  await payAtBank(young.providerCheckoutUrl, 'paid')
  const fresh = await count('payment_changes', young.id)
  await dropOldChanges(ctx)
  await dropOldChanges(ctx)
  // The last line, and the beginning, which had no event.
  expect(await count('payment_changes', old.id)).toBe(2)
  expect(await count('payment_changes', unknown.id)).toBe(doubtful)
  expect(await count('payment_changes', young.id)).toBe(fresh)
  expect(await count('entries', old.id)).toBe(entries)
  expect((await lookUp(kassa.url, shop, old.id)).body.status).toBe('paid')
  // The numbers of later events follow those of before.
  const refund = { key: 'r', body: { amountMinor: 500, reason: 'returned' } }
  await askOperation(kassa.url, shop, old.id, 'refunds', refund)
  await SWEEPS.moneyOperations(kassa.ctx)
  const { rows } = await kassa.ctx.db.query(
    'select sequence from sandbox.events where payment_id = $1 order by sequence',
    [old.id],
  )
  expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2])
  expect(await inTransaction(kassa.ctx.db, (tx) => findBrokenRules(tx, 'sandbox'))).toEqual([])
})

test('requests to providers are kept for EXCHANGE_RETENTION', async () => {
  const shop = await openShop(kassa.ctx)
  const { body } = await createSession(kassa.url, shop, { key: 'exchanges' })
  await payAtBank(body.providerCheckoutUrl, 'paid')
  await kassa.ctx.exchangeLog.flush()
  const kept = async () =>
    (
      await kassa.ctx.db.query(
        'select count(*)::int as count from sandbox.provider_exchanges where subject_id = $1',
        [body.id],
      )
    ).rows[0].count
  const ctx = { ...kassa.ctx, config: { ...kassa.ctx.config, exchangeRetentionSeconds: 2 * 86_400 } }
  kassa.clock.advance(DAY_MS)
  await dropOldExchanges(ctx)
  expect(await kept()).toBeGreaterThan(0)
  kassa.clock.advance(1.1 * DAY_MS)
  await dropOldExchanges(ctx)
  expect(await kept()).toBe(0)
})
