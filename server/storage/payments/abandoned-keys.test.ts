import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession } from '../../testing/calls.ts'
import { type Kassa, openShop, startKassa } from '../../testing/harness.ts'
import { openDb } from '../db.ts'
import { claimAbandonedKeys, listAccountsWithAbandonedKeys } from './abandoned-keys.ts'

const PAYMENTS = 2_000
const NOW = new Date('2030-01-01')

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
  await createSession(kassa.url, await openShop(kassa.ctx))
  // PostgreSQL has no statistics of these rows, as in the first minute of a new database.
  await kassa.ctx.db.query(
    `insert into sandbox.attempts select (jsonb_populate_record(a, jsonb_build_object('payment_id', n::text, 'reference', n::text))).*
     from sandbox.attempts a, generate_series(1, ${PAYMENTS}) n`,
  )
  await kassa.ctx.db.query(
    `insert into sandbox.idempotency_keys select (jsonb_populate_record(k, jsonb_build_object('payment_id', n::text, 'key', 'key-' || n))).*
     from sandbox.idempotency_keys k, generate_series(1, ${PAYMENTS}) n`,
  )
})
afterAll(() => kassa.close())

test('looking for abandoned keys reads no attempts while there are none', async () => {
  // One connection: it reports its own reading, and then reads the report.
  const db = openDb(kassa.databaseUrl, { world: 'sandbox', max: 1 })
  const attemptsRead = async () => {
    await db.query('select pg_stat_force_next_flush()')
    const { rows } = await db.query<{ read: string }>(
      `select sum(idx_tup_read) as read from pg_stat_user_indexes where schemaname = 'sandbox' and relname = 'attempts'`,
    )
    return Number(rows[0]?.read)
  }
  try {
    const before = await attemptsRead()
    const at = { now: NOW, before: NOW }
    expect(await listAccountsWithAbandonedKeys(db, at)).toEqual([])
    const claim = { ...at, leaseUntil: NOW, limit: 10, firstPauseSeconds: 1, longestPauseSeconds: 2 }
    expect(await claimAbandonedKeys(db, kassa.ctx.routes.route_a.id, claim)).toEqual([])
    expect((await attemptsRead()) - before).toBe(0)
  } finally {
    await db.end()
  }
})
